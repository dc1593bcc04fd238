import type { OnApplicationShutdown, OnModuleInit, Provider } from '@nestjs/common';
import { Database, RowSet, whenReachable } from '@mgw/postgres';
import { Sealer, SealingError } from '@mgw/sealing';
import { gauges, type Logger } from '@mgw/telemetry';
import { BackgroundLoop } from './background-loop';
import { LOGGER } from './service.module';

/** A column of secrets that stay sealed for longer than a day. */
interface SealedColumn {
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

interface Sample {
  key_id: string;
  sealed: string;
  context: string;
  /** Names the secret for an operator. */
  place: string;
}

/** Replicas of the previous ring may still seal with an older key while services roll, so the search repeats. */
const RESEAL_EVERY_MS = 600_000;
const RETRY_MS = 60_000;
/** How long a start waits for a database that ended its connections, in milliseconds. */
const START_WITHIN_MS = 20_000;
const BATCH_ROWS = 100;
/** Secrets of each key that a start tries to open. */
const SAMPLES = 20;
/** Secrets that a log line names at most. */
const NAMED = 20;
const PAUSE_MS = 100;
/** The context of a check. */
const CHECK = 'sealing.check';

const RESEALED = new RowSet<StoredSecret & { resealed: string }>({
  key: ['bigint', ({ key }) => key],
  sealed: ['text', ({ sealed }) => sealed],
  resealed: ['text', ({ resealed }) => resealed],
});

/** SQL for the table of a service's checks. */
export const sealingChecks = (schema: string): string => `
-- A text that each key sealed when it was the first of the ring. If it opens, the ring has the same bytes for the key (decision 721).
CREATE TABLE ${schema}.sealing_checks (key_id text PRIMARY KEY, sealed text NOT NULL);
`;

/**
 * Keeps the stored secrets of a service openable (guarantees §9, decision 712). A service does not start if the ring lacks a key that sealed
 * one of them, because every operation that needs it would fail. While the service runs, it regularly opens all of them, names damaged
 * ones in its log, and seals with the ring's first key what an older key sealed, so that the older key can be removed.
 */
class StoredSecrets extends BackgroundLoop implements OnModuleInit, OnApplicationShutdown {
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

  /** Opens some secrets of each key that sealed any. Damaged ones do not keep the service from starting. */
  async onModuleInit(): Promise<void> {
    const [samples, checks] = await whenReachable(() => Promise.all([this.samples(), this.checks()]), { withinMs: START_WITHIN_MS });
    const failed = samples.filter(({ sealed, context }) => this.sealer.openOrNull(sealed, context) === null);
    const opened = new Set(samples.filter((sample) => !failed.includes(sample)).map(({ key_id }) => key_id));
    const missing = new Map<string, string>();
    for (const { key_id, place } of failed) {
      const secrets = samples.filter((sample) => sample.key_id === key_id).length;
      if (!opened.has(key_id) && !this.isDamage(key_id, secrets, checks)) missing.set(key_id, place);
    }
    if (missing.size > 0) {
      const keys = [...missing].map(([key, place]) => `"${key}" (${place})`).join(', ');
      throw new SealingError(`SEALING_KEYS lacks keys of stored secrets, or has other bytes for them: start with the keys ${keys} too`);
    }
    if (checks.get(this.sealer.keyId) !== true) await whenReachable(() => this.addCheck(), { withinMs: START_WITHIN_MS });
  }

  override async onApplicationShutdown(): Promise<void> {
    this.removeGauge();
    await super.onApplicationShutdown();
  }

  protected async round(): Promise<number> {
    const key = this.sealer.keyId;
    let resealed = 0;
    const failed: string[] = [];
    for (const column of this.columns) {
      const result = await this.reseal(column);
      resealed += result.resealed;
      failed.push(...result.failed);
    }
    if (failed.length > 0)
      this.logger.error({ failed: failed.length, secrets: failed.slice(0, NAMED) }, 'some stored secrets do not open; save them again');
    else if (!this.isStopping && (resealed > 0 || !this.isReported)) {
      this.isReported = true;
      this.logger.info({ key, resealed }, 'all stored secrets are sealed with the first key of SEALING_KEYS');
    }
    return RESEAL_EVERY_MS;
  }

  /** Opens every secret, because damage does not show in the id of its key. @returns table, column and key of those that do not open */
  private async reseal({ table, key, column, context }: SealedColumn): Promise<{ resealed: number; failed: string[] }> {
    const find = `SELECT ${key} AS key, ${column} AS sealed, ${context} AS context FROM ${table}
      WHERE ${key} > $1 AND ${column} <> '' ORDER BY ${key} LIMIT ${BATCH_ROWS}`;
    // A secret that somebody saves meanwhile stays as it is saved.
    const update = `UPDATE ${table} SET ${column} = r.resealed FROM ${RESEALED.from('r')} WHERE ${key} = r.key AND ${column} = r.sealed`;
    let resealed = 0;
    const failed: string[] = [];
    for (let after = '0'; !this.isStopping; await this.pause(PAUSE_MS)) {
      const found = await this.db.upkeep.query<StoredSecret>(find, [after]);
      const outdated: (StoredSecret & { resealed: string })[] = [];
      for (const secret of found) {
        const plain = this.sealer.openOrNull(secret.sealed, secret.context);
        if (plain === null) failed.push(`${table}.${column}, ${key} ${secret.key}`);
        else if (!secret.sealed.startsWith(`${this.sealer.keyId}.`))
          outdated.push({ ...secret, resealed: this.sealer.seal(plain, secret.context) });
      }
      if (outdated.length > 0) await this.db.upkeep.query(update, RESEALED.values(outdated));
      resealed += outdated.length;
      if (found.length < BATCH_ROWS) break;
      after = found.at(-1)?.key ?? after;
    }
    return { resealed, failed };
  }

  private samples(): Promise<Sample[]> {
    return this.db.query<Sample>(`SELECT key_id, sealed, context, place FROM (
        SELECT *, row_number() OVER (PARTITION BY key_id) AS nth FROM (${this.all()}) stored WHERE context IS NOT NULL) numbered
      WHERE nth <= ${SAMPLES} ORDER BY key_id`);
  }

  /** @returns whether the check of each key opens, by the key's id */
  private async checks(): Promise<Map<string, boolean>> {
    const rows = await this.db.query<{ key_id: string; sealed: string }>(`SELECT key_id, sealed FROM ${this.db.schema}.sealing_checks`);
    return new Map(rows.map(({ key_id, sealed }) => [key_id, this.sealer.openOrNull(sealed, CHECK) !== null]));
  }

  /**
   * Whether the secrets of a key are damaged, because none of them opens although the ring is right. For a key of the ring its check shows
   * that; without one, a wrong first key is the greater harm, because it would seal further secrets. A single secret of a key that has no
   * check here has a damaged id, as every key that was first has one.
   */
  private isDamage(keyId: string, secrets: number, checks: ReadonlyMap<string, boolean>): boolean {
    if (this.sealer.has(keyId)) return checks.get(keyId) ?? keyId !== this.sealer.keyId;
    return secrets === 1 && !checks.has(keyId) && [...checks.values()].includes(true);
  }

  private async addCheck(): Promise<void> {
    const { keyId } = this.sealer;
    const sql = `INSERT INTO ${this.db.schema}.sealing_checks (key_id, sealed) VALUES ($1, $2)
      ON CONFLICT (key_id) DO UPDATE SET sealed = excluded.sealed`;
    await this.db.query(sql, [keyId, this.sealer.seal(keyId, CHECK)]);
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
        ({ table, key, column, context }) =>
          `SELECT split_part(${column}, '.', 1) AS key_id, ${column} AS sealed, ${context} AS context,
             '${table}.${column}, ${key} ' || ${key} AS place FROM ${table} WHERE ${column} <> ''`,
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
