import { Injectable } from '@nestjs/common';
import { crashPoint } from '@mgw/faults';
import { Database, type Tx } from '@mgw/postgres';
import { appendAll, appendSome, appendTogether, type SplitCallback } from './append-updates';
import { addDeadLetters, deadLetterToReplay, endReplay, failReplay } from './dead-letters.store';
import { LARGE_BYTES, wholeDeadLetter, type StoredCallback, type Updates } from './stored-callback';
import { MAX_ATTEMPTS, UnfinishedAttempts } from './unfinished-attempts';

export type Split = (callback: StoredCallback) => Promise<Updates>;

/** Callbacks in one transaction, and their bytes. */
const MAX_AT_ONCE = 32;
const MAX_BYTES = 2 * 1024 * 1024;
const POISON = `splitting it ended the process ${MAX_ATTEMPTS} times`;

/** Splits the callbacks that wait, and the dead letters that an operator replays. */
@Injectable()
export class WaitingCallbacksStore {
  private readonly callbacks: UnfinishedAttempts;
  private readonly deadLetters: UnfinishedAttempts;
  /** The dead letter whose split threw last: later ones have their turn before it is tried again. 0 for none. */
  private skippedDeadLetter = '0';

  constructor(private readonly db: Database) {
    this.callbacks = new UnfinishedAttempts(db, 'callbacks');
    this.deadLetters = new UnfinishedAttempts(db, 'dead_letters');
  }

  /** The lanes in which callbacks wait. */
  async lanes(): Promise<number[]> {
    const rows = await this.db.query<{ lane: string }>(
      `WITH RECURSIVE lanes AS (
         (SELECT lane FROM ingest.callbacks WHERE split_at IS NULL ORDER BY lane LIMIT 1)
         UNION ALL
         SELECT (SELECT c.lane FROM ingest.callbacks c WHERE c.split_at IS NULL AND c.lane > lanes.lane ORDER BY c.lane LIMIT 1)
         FROM lanes WHERE lanes.lane IS NOT NULL
       )
       SELECT lane FROM lanes WHERE lane IS NOT NULL`,
    );
    return rows.map(({ lane }) => Number(lane));
  }

  /**
   * Splits the oldest waiting callbacks of a lane, one replica at a time, and commits up to `mostEvents` of their events with the mark.
   * An attempt is counted before it begins; a callback that has ended its process three times is set aside instead.
   */
  splitLane(lane: number, mostEvents: number, split: Split): Promise<{ callbacks: number; events: number }> {
    // Not durable: if a crash of the database loses the commit, the repeated split publishes events with the same ids.
    return this.callbacks.run({ durable: false }, async (tx, begin) => {
      const [lock] = await tx.query<{ held: boolean }>(`SELECT pg_try_advisory_xact_lock(hashtext('ingest.lanes'), $1) AS held`, [lane]);
      const waiting = lock?.held ? await oldestWaiting(tx, lane) : [];
      const [first] = waiting;
      if (first === undefined) return { callbacks: 0, events: 0 };
      if (this.callbacks.areTooMany(first)) {
        for (const callback of await load(tx, [first.id])) await addDeadLetters(tx, [wholeDeadLetter(callback, new Error(POISON))]);
        await mark(tx, [first.id], [first.id]);
        return { callbacks: 1, events: 0 };
      }
      // A callback with an unfinished attempt may have ended the process, so it goes alone.
      const claimed = first.unfinished_attempts > 0 ? [first.id] : fitting(waiting);
      await begin(claimed);
      const whole: SplitCallback[] = [];
      let events = 0;
      let tooLong: SplitCallback | undefined;
      for (const callback of await load(tx, claimed)) {
        if (events >= mostEvents) break;
        crashPoint('ingest.splitting');
        const updates = await split(callback);
        if (events + updates.events.length > mostEvents) {
          tooLong = { callback, updates };
          break;
        }
        whole.push({ callback, updates });
        events += updates.events.length;
      }
      await appendTogether(tx, whole);
      const done = whole.map(({ callback }) => callback.id);
      if (tooLong) {
        const { appended, isDone } = await appendSome(tx, tooLong, mostEvents - events);
        events += appended;
        if (isDone) done.push(tooLong.callback.id);
      }
      await mark(tx, claimed, done);
      await emptyBodies(tx, whole);
      return { callbacks: claimed.length, events };
    });
  }

  /** Splits the oldest dead letter that an operator replays, one replica at a time. @returns false if there is none */
  async replay(split: Split): Promise<boolean> {
    // Most polls find nothing, so they need no transaction.
    if ((await deadLetterToReplay(this.db, this.skippedDeadLetter)) === undefined) {
      this.skippedDeadLetter = '0';
      return false;
    }
    return this.deadLetters.run({ durable: true }, async (tx, begin) => {
      const [lock] = await tx.query<{ held: boolean }>(`SELECT pg_try_advisory_xact_lock(hashtext('ingest.replays')) AS held`);
      const deadLetter = lock?.held ? await deadLetterToReplay(tx, this.skippedDeadLetter) : undefined;
      if (deadLetter === undefined) return false;
      if (this.deadLetters.areTooMany(deadLetter)) {
        await failReplay(tx, deadLetter.id, POISON);
        return true;
      }
      await begin([deadLetter.id]);
      crashPoint('ingest.replaying');
      const updates = await split(deadLetter).catch((error: unknown) => {
        this.skippedDeadLetter = deadLetter.id;
        throw error;
      });
      await appendAll(tx, { callback: deadLetter, updates }, (invalid) => endReplay(tx, deadLetter.id, invalid));
      return true;
    });
  }
}

interface Waiting {
  id: string;
  bytes: number;
  unfinished_attempts: number;
}

/** The range makes the index of the waiting callbacks the only one in this order: for one lane the primary key would be, with all history. */
function oldestWaiting(tx: Tx, lane: number): Promise<Waiting[]> {
  return tx.query<Waiting>(
    `SELECT id, octet_length(body) AS bytes, unfinished_attempts FROM ingest.callbacks
     WHERE lane BETWEEN $1 AND $1 AND split_at IS NULL ORDER BY lane, id LIMIT ${MAX_AT_ONCE}`,
    [lane],
  );
}

/** The oldest callbacks without an unfinished attempt, as many as fit into one transaction. */
function fitting(waiting: Waiting[]): string[] {
  const ids: string[] = [];
  let bytes = 0;
  for (const callback of waiting) {
    bytes += callback.bytes;
    if (callback.unfinished_attempts > 0 || (ids.length > 0 && bytes > MAX_BYTES)) break;
    ids.push(callback.id);
  }
  return ids;
}

function load(tx: Tx, ids: string[]): Promise<StoredCallback[]> {
  return tx.query<StoredCallback>('SELECT id, body, businesses, traceparent FROM ingest.callbacks WHERE id = ANY($1) ORDER BY id', [ids]);
}

async function mark(tx: Tx, begun: string[], done: string[]): Promise<void> {
  await tx.query(
    'UPDATE ingest.callbacks SET unfinished_attempts = 0, split_at = CASE WHEN id = ANY($2) THEN now() END WHERE id = ANY($1)',
    [begun, done],
  );
}

/** Large bodies without updates would fill the disk for the time of the retention (decision 740). The hash stays, so that a repeat is known. */
async function emptyBodies(tx: Tx, split: SplitCallback[]): Promise<void> {
  const isEmptied = ({ callback, updates }: SplitCallback) =>
    callback.body.length > LARGE_BYTES && updates.events.length + updates.invalid.length === 0;
  const ids = split.filter(isEmptied).map(({ callback }) => callback.id);
  if (ids.length > 0) await tx.query(`UPDATE ingest.callbacks SET body = '' WHERE id = ANY($1)`, [ids]);
}
