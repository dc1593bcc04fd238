import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '@mgw/postgres';

/** Product §2: wrong logins count for 15 minutes. */
export const ATTEMPT_WINDOW_SECONDS = 15 * 60;
const WINDOW = `make_interval(secs => ${ATTEMPT_WINDOW_SECONDS})`;

/** One account or one address, and how many wrong logins it may have within the window. */
export interface AttemptSubject {
  subject: string;
  limit: number;
}

/** `locks`: a further wrong attempt of the account or the address is refused. */
export type Reservation = { taken: true; at: string; locks: boolean } | { taken: false; retry_after_seconds: number };

const RECENT = `ARRAY(SELECT f FROM unnest(a.failures) f WHERE f > $2::timestamptz - ${WINDOW} ORDER BY f)`;

/** Adds the moment to the subject's recent failures unless they are at the limit: one statement, so that no race passes it. */
const TAKE = `
  INSERT INTO access.login_attempts AS a (subject, failures, last_at) VALUES ($1, ARRAY[$2::timestamptz], $2)
  ON CONFLICT (subject) DO UPDATE SET failures = ${RECENT} || $2::timestamptz, last_at = $2
   WHERE cardinality(${RECENT}) < $3
  RETURNING cardinality(failures) >= $3 AS locks`;

/** Seconds until enough failures have left the window for one more attempt. */
const WAIT = `
  SELECT greatest(1, ceil(extract(epoch FROM (${RECENT})[cardinality(${RECENT}) - $3 + 1] + ${WINDOW} - $2::timestamptz)))::integer AS seconds
    FROM access.login_attempts a WHERE subject = $1`;

class Full extends Error {
  constructor(readonly retry_after_seconds: number) {
    super();
  }
}

/** Wrong logins by account and address, in Postgres so that all replicas count together. */
@Injectable()
export class LoginAttemptsStore {
  constructor(private readonly db: Database) {}

  /**
   * Charges an attempt to all subjects or to none, before the password is looked at: many guesses at once cannot slip
   * through together. Subjects of one kind must always come in the same place, else two callers could lock each other out.
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
    } catch (fault) {
      if (fault instanceof Full) return { taken: false, retry_after_seconds: fault.retry_after_seconds };
      throw fault;
    }
  }

  /** The password was right: the attempt is charged to nobody, and the account's earlier failures are forgotten. */
  async forgive(account: string, address: string, at: string): Promise<void> {
    await this.db.query(`DELETE FROM access.login_attempts WHERE subject = $1`, [account]);
    await this.db.query(`UPDATE access.login_attempts SET failures = array_remove(failures, $2::timestamptz) WHERE subject = $1`, [
      address,
      at,
    ]);
  }

  async purge(): Promise<void> {
    await this.db.query(
      `DELETE FROM access.login_attempts WHERE subject IN (
         SELECT subject FROM access.login_attempts WHERE last_at < now() - ${WINDOW} ORDER BY last_at LIMIT 100 FOR UPDATE SKIP LOCKED)`,
    );
  }
}

/** @returns whether the subject is at its limit now */
async function takeOne(tx: Tx, { subject, limit }: AttemptSubject, at: string): Promise<boolean> {
  const [taken] = await tx.query<{ locks: boolean }>(TAKE, [subject, at, limit]);
  if (taken) return taken.locks;
  const [wait] = await tx.query<{ seconds: number }>(WAIT, [subject, at, limit]);
  throw new Full(wait?.seconds ?? ATTEMPT_WINDOW_SECONDS);
}
