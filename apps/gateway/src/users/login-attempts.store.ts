import { Injectable } from '@nestjs/common';
import { atMost } from '@mgw/caching';
import { GatewayError } from '@mgw/contracts';
import { Database, type Tx } from '@mgw/postgres';
import { LRUCache } from 'lru-cache';
import { accountSubject, isNetwork } from './login-subjects';

/** How long a wrong login counts (spec §10). */
const ATTEMPT_WINDOW_SECONDS = 15 * 60;
const WINDOW = `make_interval(secs => ${ATTEMPT_WINDOW_SECONDS})`;

/** An account or an address, and its limit of wrong logins within the window. */
export interface AttemptSubject {
  subject: string;
  limit: number;
}

/** `locks`: whether this attempt reaches a limit, so that the next one is refused. */
export type Reservation = { taken: true; at: string; locks: boolean } | { taken: false; subject: string; retry_after_seconds: number };

const RECENT = `ARRAY(SELECT f FROM unnest(a.failures) f WHERE f > $2::timestamptz - ${WINDOW} ORDER BY f)`;

/** Adds the time to each subject's recent failures unless they are at the limit. One statement, so that concurrent attempts cannot exceed it. */
const TAKE = `
  INSERT INTO access.login_attempts AS a (subject, failures, last_at)
  SELECT subject, ARRAY[$2::timestamptz], $2 FROM unnest($1::text[]) AS subject
  ON CONFLICT (subject) DO UPDATE SET failures = ${RECENT} || $2::timestamptz, last_at = $2
   WHERE cardinality(${RECENT}) < $3
  RETURNING subject, cardinality(failures) >= $3 AS locks`;

/** Seconds until the window has room for one more attempt. */
const WAIT = `
  SELECT greatest(1, ceil(extract(epoch FROM (${RECENT})[cardinality(${RECENT}) - $3 + 1] + ${WINDOW} - $2::timestamptz)))::integer AS seconds
    FROM access.login_attempts a WHERE subject = $1`;

/**
 * How long this process refuses a network over its limit without a query, in milliseconds. It is short, because a login that turns out right
 * on another replica makes room again.
 */
const REMEMBER_MS = 10_000;

class Full extends Error {
  constructor(
    readonly subject: string,
    readonly retry_after_seconds: number,
  ) {
    super();
  }
}

/** Wrong logins by account and address, in PostgreSQL, so that all replicas count together. */
@Injectable()
export class LoginAttemptsStore {
  /** When each network that is over its limit may try again. */
  private readonly full = new LRUCache<string, number>({ ...atMost(10_000), ttl: REMEMBER_MS });

  constructor(private readonly db: Database) {}

  /**
   * Counts an attempt for all subjects or for none, before the password check, so that concurrent guesses cannot exceed the limit.
   * Callers must pass the kinds of subjects in the same order, or two transactions could deadlock.
   */
  async take(subjects: readonly AttemptSubject[]): Promise<Reservation> {
    try {
      return await this.db.transaction(async (tx) => {
        const [now] = await tx.query<{ at: string }>(`SELECT clock_timestamp()::text AS at`);
        if (!now) throw new Error('the clock returned no row');
        let locks = false;
        for (const subject of subjects) if (await takeOne(tx, subject, now.at)) locks = true;
        return { taken: true, at: now.at, locks };
      });
    } catch (error) {
      if (error instanceof Full) return { taken: false, subject: error.subject, retry_after_seconds: error.retry_after_seconds };
      throw error;
    }
  }

  /**
   * Counts an attempt like `take`, and deletes expired ones.
   * @returns its time, and whether it reaches a limit
   * @throws GatewayError RATE_LIMITED with the message
   */
  async require(subjects: readonly AttemptSubject[], message: string): Promise<{ at: string; locks: boolean }> {
    const limited = (seconds: number) => new GatewayError('RATE_LIMITED', message, { retry_after_seconds: seconds });
    for (const { subject } of subjects) {
      const until = this.full.get(subject);
      if (until !== undefined) throw limited(Math.max(1, Math.ceil((until - Date.now()) / 1_000)));
    }
    const attempt = await this.take(subjects);
    if (attempt.taken) {
      await this.purge();
      return attempt;
    }
    const { subject, retry_after_seconds } = attempt;
    // A link or a right login elsewhere ends the limit of an account at once.
    if (isNetwork(subject)) {
      const waitMs = retry_after_seconds * 1_000;
      this.full.set(subject, Date.now() + waitMs, { ttl: Math.min(REMEMBER_MS, waitMs) });
    }
    throw limited(retry_after_seconds);
  }

  /**
   * Counts an attempt for those of the subjects that are below the limit.
   * @param subjects in an order that is the same for all callers, or two statements could deadlock
   * @returns the counted subjects, each with whether it has reached the limit
   */
  async takeOpen(subjects: readonly string[], limit: number, at: string): Promise<Map<string, boolean>> {
    const taken = await this.db.query<{ subject: string; locks: boolean }>(TAKE, [subjects, at, limit]);
    return new Map(taken.map(({ subject, locks }) => [subject, locks]));
  }

  /** Deletes all failures of a subject. */
  async clear(subject: string): Promise<void> {
    await this.db.query(`DELETE FROM access.login_attempts WHERE subject = $1`, [subject]);
  }

  /** Removes one attempt that was right or was not checked; the subject's other failures stay. @param at the attempt's time */
  async uncount(subject: string, at: string): Promise<void> {
    await this.db.query(`UPDATE access.login_attempts SET failures = array_remove(failures, $2::timestamptz) WHERE subject = $1`, [
      subject,
      at,
    ]);
    // Until the update commits, another login may remember that the network is full.
    this.full.delete(subject);
  }

  /**
   * Runs the check of a counted attempt, and removes the attempt if the check was refused because of load, so that load locks nobody out.
   * @param at the attempt's time
   */
  async uncountIfRefused<T>(subjects: readonly string[], at: string, check: () => Promise<T>): Promise<T> {
    try {
      return await check();
    } catch (error) {
      if (error instanceof GatewayError && error.error_code === 'RATE_LIMITED')
        for (const subject of subjects) await this.uncount(subject, at);
      throw error;
    }
  }

  /**
   * Ends the wrong logins of a person who has proved themselves. If several businesses have the address, only this attempt ends, because
   * a right password at one must not clear the guesses at another.
   * @param email normalized
   * @param at the attempt's time; null without an attempt
   */
  async clearAccount(email: string, at: string | null): Promise<void> {
    await this.db.query(
      `WITH people AS (SELECT count(*) = 1 AS single FROM access.users WHERE email = $2),
         cleared AS (DELETE FROM access.login_attempts WHERE subject = $1 AND (SELECT single FROM people))
       UPDATE access.login_attempts SET failures = array_remove(failures, $3::timestamptz)
        WHERE subject = $1 AND NOT (SELECT single FROM people)`,
      [accountSubject(email), email, at],
    );
  }

  private async purge(): Promise<void> {
    await this.db.query(
      `DELETE FROM access.login_attempts WHERE subject = ANY (ARRAY(
         SELECT subject FROM access.login_attempts WHERE last_at < now() - ${WINDOW} ORDER BY last_at LIMIT 100 FOR UPDATE SKIP LOCKED))`,
    );
  }
}

/** @returns whether the subject has reached its limit */
async function takeOne(tx: Tx, { subject, limit }: AttemptSubject, at: string): Promise<boolean> {
  const [taken] = await tx.query<{ locks: boolean }>(TAKE, [[subject], at, limit]);
  if (taken) return taken.locks;
  const [wait] = await tx.query<{ seconds: number }>(WAIT, [subject, at, limit]);
  throw new Full(subject, wait?.seconds ?? ATTEMPT_WINDOW_SECONDS);
}
