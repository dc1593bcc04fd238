import { randomUUID } from 'node:crypto';
import type { Database } from '@mgw/postgres';
import { RepeatedWarning, type Logger } from '@mgw/telemetry';
import { Signal } from './signal';

/** A worker is dead when it did not renew its row for this long, in milliseconds. Its successor has the rest of two seconds. */
const ALIVE_MS = 1_600;
const BEAT_EVERY_MS = 350;
/** Age at which rows of dead workers are deleted, in minutes. */
const KEEP_DEAD_MINUTES = 10;

interface HeartbeatOptions {
  db: Database;
  /** The schema that has the `workers` table. */
  schema: string;
  logger: Logger;
}

/** SQL that is true while the worker with the id in `column` is alive; a null id counts as dead. */
export function isWorkerAlive(schema: string, column: string): string {
  return `EXISTS (SELECT FROM ${schema}.workers alive WHERE alive.worker_id = ${column} AND alive.alive_until > clock_timestamp())`;
}

/**
 * Common table expressions that end with `dead (worker)`: the dead ones among `holders`, a query with a column `worker`. Their rows stay
 * locked until the statement ends, so none of them can renew meanwhile; one whose renewal is being committed is skipped. None is dead right
 * after a recovery of PostgreSQL, which resets its statistics: a crash, or the kill of one backend, loses the last renewals, and a worker
 * counts on them until its own clock ends.
 */
export function deadWorkers(schema: string, holders: string): string {
  return `candidate_worker AS MATERIALIZED (${holders}), expired_worker AS MATERIALIZED (
      SELECT w.worker_id FROM ${schema}.workers w
      WHERE w.worker_id IN (SELECT worker FROM candidate_worker) AND w.alive_until <= clock_timestamp() FOR UPDATE OF w SKIP LOCKED
    ), dead AS MATERIALIZED (
      SELECT worker FROM (
        SELECT worker_id AS worker FROM expired_worker
        UNION ALL
        SELECT worker FROM candidate_worker c WHERE NOT EXISTS (SELECT FROM ${schema}.workers w WHERE w.worker_id = c.worker)
      ) gone WHERE (SELECT stats_reset FROM pg_stat_bgwriter) < clock_timestamp() - interval '${ALIVE_MS} milliseconds'
    )`;
}

/**
 * Proves that this worker is alive, so that others take over its claims within two seconds of its death. Claims store the worker's id;
 * a claim is free when `isWorkerAlive` is false. A worker that expired continues under a new id, without its claims.
 */
export class WorkerHeartbeat {
  private current: string | undefined;
  private aliveUntil = 0;
  private expiry: NodeJS.Timeout | undefined;
  private readonly listeners = new Set<() => void>();
  private readonly signal = new Signal();
  /** The consumers and loops that hold claims as this worker, from their start to their stop. */
  private holders = 0;
  private ended: Promise<void> = Promise.resolve();

  constructor(private readonly options: HeartbeatOptions) {}

  /** The id to store in claims. Undefined while the worker cannot renew its row: it must not claim, and others may take its claims. */
  get id(): string | undefined {
    if (this.current !== undefined && performance.now() >= this.aliveUntil) this.setId(undefined);
    return this.current;
  }

  /** Calls the listener after each change of the id. */
  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  start(): void {
    this.holders += 1;
    if (this.holders === 1) this.ended = this.run();
  }

  /** After the last holder has stopped, deletes the row, which releases every claim of this worker at once. */
  async stop(): Promise<void> {
    this.holders -= 1;
    if (this.holders > 0) return;
    this.signal.notify();
    await this.ended;
    clearTimeout(this.expiry);
    const { db, schema, logger } = this.options;
    const { id } = this;
    this.listeners.clear();
    this.setId(undefined);
    if (id === undefined) return;
    try {
      await db.nonDurable.query(`DELETE FROM ${schema}.workers WHERE worker_id = $1`, [id]);
    } catch (error) {
      logger.warn({ err: error, schema }, 'deleting a worker failed; its claims expire within two seconds');
    }
  }

  private async run(): Promise<void> {
    const { logger, schema } = this.options;
    const failed = new RepeatedWarning(logger, 'a heartbeat failed; will retry', { schema });
    while (this.holders > 0) {
      try {
        await this.beat();
      } catch (error) {
        failed.warn(error);
      }
      if (this.holders > 0) await this.signal.wait(BEAT_EVERY_MS);
    }
  }

  private async beat(): Promise<void> {
    const { id } = this;
    const sentAt = performance.now();
    if (id !== undefined && (await this.renew(id)) && this.current === id) return this.extendLife(id, sentAt);
    this.setId(undefined);
    const next = randomUUID();
    const registeredAt = performance.now();
    await this.register(next);
    this.extendLife(next, registeredAt);
  }

  private async renew(id: string): Promise<boolean> {
    const { db, schema } = this.options;
    const rows = await db.nonDurable.query(
      `UPDATE ${schema}.workers SET alive_until = clock_timestamp() + interval '${ALIVE_MS} milliseconds'
       WHERE worker_id = $1 AND alive_until > clock_timestamp() RETURNING 1`,
      [id],
    );
    return rows.length > 0;
  }

  private async register(id: string): Promise<void> {
    const { db, schema } = this.options;
    await db.nonDurable.query(
      `WITH dead AS (DELETE FROM ${schema}.workers WHERE alive_until < clock_timestamp() - interval '${KEEP_DEAD_MINUTES} minutes')
       INSERT INTO ${schema}.workers (worker_id, alive_until) VALUES ($1, clock_timestamp() + interval '${ALIVE_MS} milliseconds')`,
      [id],
    );
  }

  /** Counts from before the statement was sent, so that the worker's time ends before the database's. */
  private extendLife(id: string, sentAt: number): void {
    this.aliveUntil = sentAt + ALIVE_MS;
    clearTimeout(this.expiry);
    this.expiry = setTimeout(() => this.id, this.aliveUntil - performance.now() + 1);
    this.setId(performance.now() < this.aliveUntil ? id : undefined);
  }

  private setId(id: string | undefined): void {
    if (id === this.current) return;
    this.current = id;
    for (const listener of this.listeners) listener();
  }
}
