import type { OnApplicationShutdown, OnModuleInit, Provider } from '@nestjs/common';
import { Database, RowSet } from '@mgw/postgres';
import { Sealer, SealingError } from '@mgw/sealing';
import { gauges, type Logger } from '@mgw/telemetry';
import { BackgroundLoop } from './background-loop';
import { LOGGER } from './service.module';

/** A column of secrets that stay sealed for longer than a day. */
export interface SealedColumn {
  /** `<schema>.<table>` */
  table: string;
  /** Its primary key, a positive integer. */
  key: string;
  column: string;
  /** SQL for the context of a row's secret. */
  context: string;
}

interface StoredSecret {
  key: string;
  sealed: string;
  context: string;
}

/** Replicas of the previous ring may still seal with an older key while services roll, so the search repeats. */
const RESEAL_EVERY_MS = 600_000;
const RETRY_MS = 60_000;
const BATCH_ROWS = 100;
/** Secrets of each key that a start tries to open. */
const SAMPLES = 20;
const PAUSE_MS = 100;

const RESEALED = new RowSet<StoredSecret & { resealed: string }>({
  key: ['bigint', ({ key }) => key],
  sealed: ['text', ({ sealed }) => sealed],
  resealed: ['text', ({ resealed }) => resealed],
});

/**
 * Keeps the stored secrets of a service openable (guarantees §9, decision 712). A service does not start if the ring lacks a key that sealed
 * one of them, because every operation that needs it would fail. While the service runs, it seals with the ring's first key what an older key
 * sealed, so that the older key can be removed.
 */
export class StoredSecrets extends BackgroundLoop implements OnModuleInit, OnApplicationShutdown {
  private readonly removeGauge: () => void;
  private isReported = false;

  constructor(
    service: string,
    private readonly columns: readonly SealedColumn[],
    private readonly db: Database,
    private readonly sealer: Sealer,
    private readonly logger: Logger,
  ) {
    super({ name: 'sealing stored secrets with the first key', logger, retryMs: RETRY_MS });
    const help = 'Stored secrets by the id of the key that seals them';
    this.removeGauge = gauges('mgw_sealed_secrets', help, 'key', () => this.count(), { service_name: service });
  }

  /** Opens some secrets of each key that sealed any. One may be damaged. */
  async onModuleInit(): Promise<void> {
    const sql = `SELECT key_id, sealed, context FROM (
        SELECT *, row_number() OVER (PARTITION BY key_id) AS nth FROM (${this.all()}) stored WHERE context IS NOT NULL) numbered
      WHERE nth <= ${SAMPLES} ORDER BY key_id`;
    const samples = await this.db.query<{ key_id: string; sealed: string; context: string }>(sql);
    const opened = new Set(samples.filter(({ sealed, context }) => this.open(sealed, context) !== null).map(({ key_id }) => key_id));
    const missing = [...new Set(samples.map(({ key_id }) => key_id))].filter((id) => !opened.has(id)).map((id) => `"${id}"`);
    if (missing.length > 0)
      throw new SealingError(`SEALING_KEYS opens no stored secret of the keys ${missing.join(', ')}: start with these keys too`);
  }

  override async onApplicationShutdown(): Promise<void> {
    this.removeGauge();
    await super.onApplicationShutdown();
  }

  protected async round(): Promise<number> {
    const key = this.sealer.keyId;
    let [resealed, failed] = [0, 0];
    for (const column of this.columns) {
      const counts = await this.reseal(column);
      [resealed, failed] = [resealed + counts.resealed, failed + counts.failed];
    }
    if (failed > 0) this.logger.warn({ failed }, 'some stored secrets do not open; save them again');
    else if (!this.isStopping && (resealed > 0 || !this.isReported)) {
      this.isReported = true;
      this.logger.info({ key, resealed }, 'all stored secrets are sealed with the first key of SEALING_KEYS');
    }
    return RESEAL_EVERY_MS;
  }

  private async reseal({ table, key, column, context }: SealedColumn): Promise<{ resealed: number; failed: number }> {
    const find = `SELECT ${key} AS key, ${column} AS sealed, ${context} AS context FROM ${table}
      WHERE ${key} > $1 AND ${column} <> '' AND NOT starts_with(${column}, $2) ORDER BY ${key} LIMIT ${BATCH_ROWS}`;
    // A secret that somebody saves meanwhile stays as it is saved.
    const update = `UPDATE ${table} SET ${column} = r.resealed FROM ${RESEALED.from('r')} WHERE ${key} = r.key AND ${column} = r.sealed`;
    let resealed = 0;
    let failed = 0;
    for (let after = '0'; !this.isStopping; await this.pause(PAUSE_MS)) {
      const found = await this.db.upkeep.query<StoredSecret>(find, [after, `${this.sealer.keyId}.`]);
      const opened = found.flatMap((secret) => {
        const plain = this.open(secret.sealed, secret.context);
        return plain === null ? [] : [{ ...secret, resealed: this.sealer.seal(plain, secret.context) }];
      });
      if (opened.length > 0) await this.db.upkeep.query(update, RESEALED.values(opened));
      resealed += opened.length;
      failed += found.length - opened.length;
      if (found.length < BATCH_ROWS) break;
      after = found.at(-1)?.key ?? after;
    }
    return { resealed, failed };
  }

  private open(sealed: string, context: string): string | null {
    try {
      return this.sealer.open(sealed, context);
    } catch {
      return null;
    }
  }

  private async count(): Promise<Record<string, number>> {
    const sql = `SELECT key_id, count(*)::float8 AS secrets FROM (${this.all()}) stored GROUP BY key_id`;
    const rows = await this.db.reads('service').query<{ key_id: string; secrets: number }>(sql);
    return Object.fromEntries(rows.map(({ key_id, secrets }) => [key_id, secrets]));
  }

  /** SQL for all secrets. */
  private all(): string {
    return this.columns
      .map(
        ({ table, column, context }) =>
          `SELECT split_part(${column}, '.', 1) AS key_id, ${column} AS sealed, ${context} AS context FROM ${table} WHERE ${column} <> ''`,
      )
      .join(' UNION ALL ');
  }
}

/** Provides the check and the renewal of a service's stored secrets. */
export function storedSecrets(service: string, columns: readonly SealedColumn[]): Provider {
  return {
    provide: StoredSecrets,
    inject: [Database, Sealer, LOGGER],
    useFactory: (db: Database, sealer: Sealer, logger: Logger) => new StoredSecrets(service, columns, db, sealer, logger),
  };
}
