import type { OnApplicationBootstrap, OnApplicationShutdown, Provider, Type } from '@nestjs/common';
import { env } from '@mgw/config';
import { Signal } from '@mgw/events';
import { Database, dropMonths, makeMonths, pruneBatch, restOver, type AgedRows, type MonthlyTable } from '@mgw/postgres';
import { counter, type Logger } from '@mgw/telemetry';
import { LOGGER } from './service.module';

/** What every service that tells or hears events reads. */
export const retentionSettings = {
  outboxHours: env.integer('RETENTION_OUTBOX_HOURS', {
    doc: 'how long published events are kept for a NATS store that is lost; the same for all services, which remember what they heard a day longer',
    default: 72,
    min: 72,
    max: 720,
  }),
  deadLettersDays: env.integer('RETENTION_DEAD_LETTERS_DAYS', {
    doc: 'how long events that could not be handled are kept, in days',
    default: 90,
    min: 7,
    max: 3_650,
  }),
  pruneRows: env.integer('RETENTION_BATCH_ROWS', { doc: 'rows deleted by one statement at most', default: 1_000, min: 10, max: 5_000 }),
  prunePauseMs: env.integer('RETENTION_PAUSE_MS', {
    doc: 'rest between two such statements, in milliseconds',
    default: 100,
    min: 0,
    max: 60_000,
  }),
};

interface RetentionPace {
  pruneRows: number;
  prunePauseMs: number;
}

/** What a service keeps for how long. */
export interface RetentionPlan {
  /** Deleted in batches. */
  rows: AgedRows[];
  /** Made ahead, and dropped as a whole when all of it is older than so many days. */
  months?: (MonthlyTable & { days: number })[];
}

const LOOK_EVERY_MS = 600_000;
const rowsPruned = counter('mgw_rows_pruned_total', 'Rows deleted because of their age', ['table']);
const monthsDropped = counter('mgw_months_dropped_total', 'Partitions dropped because of their age', ['table']);

/** Forgets what a service has kept long enough, at its start and every ten minutes; replicas pass over what another one works on. */
export class Retention implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly signal = new Signal();
  private stopped = false;
  private ended: Promise<void> = Promise.resolve();

  constructor(
    private readonly plan: RetentionPlan,
    private readonly pace: RetentionPace,
    private readonly db: Database,
    private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.ended = this.run();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.signal.notify();
    await this.ended;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      await this.forget();
      if (!this.stopped) await this.signal.wait(LOOK_EVERY_MS);
    }
  }

  private async forget(): Promise<void> {
    const { rows, months = [] } = this.plan;
    for (const month of months) await this.attempt(month.table, () => makeMonths(this.db.upkeep, month));
    for (const aged of [...rows, ...months.map((month) => restOver(month, month.days))])
      await this.attempt(aged.table, () => this.prune(aged));
    for (const month of months) await this.attempt(month.table, () => this.drop(month));
  }

  /** One table that cannot be pruned now must not keep the others from it. */
  private async attempt(table: string, work: () => Promise<unknown>): Promise<void> {
    if (this.stopped) return;
    try {
      await work();
    } catch (error) {
      this.logger.warn({ err: error, table }, 'old rows could not be forgotten now; it is tried again');
    }
  }

  private async prune(aged: AgedRows): Promise<void> {
    const { pruneRows, prunePauseMs } = this.pace;
    while (!this.stopped) {
      const gone = await pruneBatch(this.db.upkeep, aged, pruneRows);
      if (gone === null) return;
      rowsPruned.inc({ table: aged.table }, gone);
      if (gone < pruneRows) return;
      if (prunePauseMs > 0) await this.signal.wait(prunePauseMs);
    }
  }

  private async drop(month: MonthlyTable & { days: number }): Promise<void> {
    const dropped = await dropMonths(this.db.upkeep, month, month.days);
    if (dropped.length === 0) return;
    monthsDropped.inc({ table: month.table }, dropped.length);
    this.logger.info({ dropped }, 'months that are over age were dropped');
  }
}

/** @param plan what the service keeps, for its configuration */
export function retention<C extends RetentionPace>(config: Type<C>, plan: (config: C) => RetentionPlan): Provider {
  return {
    provide: Retention,
    inject: [config, Database, LOGGER],
    useFactory: (settings: C, db: Database, logger: Logger) => new Retention(plan(settings), settings, db, logger),
  };
}
