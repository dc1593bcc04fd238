import type { Provider, Type } from '@nestjs/common';
import { env } from '@mgw/config';
import { expiredEventRows } from '@mgw/events';
import { Database, dropMonths, createMonths, pruneBatch, expiredDefaultRows, type ExpiredRows, type MonthlyTable } from '@mgw/postgres';
import { counter, type Logger } from '@mgw/telemetry';
import { BackgroundLoop } from './background-loop';
import { LOGGER } from './service.module';

/** Settings of every service that publishes or consumes events. */
export const retentionSettings = {
  outboxHours: env.integer('RETENTION_OUTBOX_HOURS', {
    doc: 'hours to keep published events, to refill a lost NATS store. Set the same value for all services, which keep the ids of consumed events a day longer',
    default: 72,
    min: 72,
    max: 720,
  }),
  deadLettersDays: env.integer('RETENTION_DEAD_LETTERS_DAYS', {
    doc: 'days to keep dead letters',
    default: 90,
    min: 7,
    max: 3_650,
  }),
  pruneRows: env.integer('RETENTION_BATCH_ROWS', { doc: 'most rows that one statement deletes', default: 1_000, min: 10, max: 5_000 }),
  prunePauseMs: env.integer('RETENTION_PAUSE_MS', {
    doc: 'pause between two such statements, in milliseconds',
    default: 100,
    min: 0,
    max: 60_000,
  }),
};

interface RetentionConfig {
  outboxHours: number;
  deadLettersDays: number;
  pruneRows: number;
  prunePauseMs: number;
}

/** The rows that a service deletes because of their age, in addition to those of events. */
interface RetentionPlan {
  /** Deleted in batches. */
  rows?: ExpiredRows[];
  /** Partitions, created ahead, and dropped when all of their rows are older than `days`. */
  months?: (MonthlyTable & { days: number })[];
}

const PRUNE_EVERY_MS = 600_000;
const rowsPruned = counter('mgw_rows_pruned_total', 'Rows deleted or cleared because of their age', ['table']);
const monthsDropped = counter('mgw_months_dropped_total', 'Partitions dropped because of their age', ['table']);

/** Deletes expired rows at the start and every ten minutes; replicas skip rows that another one deletes. */
class Retention extends BackgroundLoop {
  constructor(
    private readonly plan: RetentionPlan,
    private readonly config: RetentionConfig,
    private readonly db: Database,
    private readonly logger: Logger,
  ) {
    super({ name: 'deleting expired rows', logger, retryMs: PRUNE_EVERY_MS });
  }

  protected async round(): Promise<number> {
    const { rows = [], months = [] } = this.plan;
    const events = expiredEventRows(this.db.schema, this.config);
    for (const month of months) await this.attempt(month.table, () => createMonths(this.db.upkeep, month));
    for (const expired of [...events, ...rows, ...months.map((month) => expiredDefaultRows(month, month.days))])
      await this.attempt(expired.table, () => this.prune(expired));
    for (const month of months) await this.attempt(month.table, () => this.drop(month));
    return PRUNE_EVERY_MS;
  }

  /** A table that fails does not hold up the others. */
  private async attempt(table: string, work: () => Promise<unknown>): Promise<void> {
    if (this.isStopping) return;
    try {
      await work();
    } catch (error) {
      this.logger.warn({ err: error, table }, 'deleting expired rows failed; will retry');
    }
  }

  private async prune(expired: ExpiredRows): Promise<void> {
    const { pruneRows, prunePauseMs } = this.config;
    while (!this.isStopping) {
      const deleted = await pruneBatch(this.db.upkeep, expired, pruneRows);
      if (deleted === null) return;
      rowsPruned.inc({ table: expired.table }, deleted);
      if (deleted < pruneRows) return;
      await this.pause(prunePauseMs);
    }
  }

  private async drop(month: MonthlyTable & { days: number }): Promise<void> {
    const dropped = await dropMonths(this.db.upkeep, month, month.days);
    if (dropped.length === 0) return;
    monthsDropped.inc({ table: month.table }, dropped.length);
    this.logger.info({ dropped }, 'dropped expired partitions');
  }
}

/** Provides the retention of a service. */
export function retention<C extends RetentionConfig>(config: Type<C>, plan: (config: C) => RetentionPlan = () => ({})): Provider {
  return {
    provide: Retention,
    inject: [config, Database, LOGGER],
    useFactory: (settings: C, db: Database, logger: Logger) => new Retention(plan(settings), settings, db, logger),
  };
}
