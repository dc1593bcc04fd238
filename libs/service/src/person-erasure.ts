import type { erasePerson, RequestOf, ResponseOf } from '@mgw/contracts';
import { eraseEvents } from '@mgw/events';
import type { NatsConnection } from '@mgw/nats';
import type { Database } from '@mgw/postgres';
import {
  CONVERSATION_OF_DEAD_LETTER,
  isEventOfPerson,
  isOfBusiness,
  isOfPerson,
  namesPerson,
  PERSON,
  personValues,
  type PersonalData,
  type ScannedTable,
} from './personal-data';
import { StepCursors } from './step-cursors';

const BEFORE_ALL_KEYS = { bigint: '-1', uuid: '00000000-0000-0000-0000-000000000000', text: '' };
/** Rows that a step reads of a scanned table. */
const CHUNK_ROWS = 500;

type Erasure = ReturnType<typeof erasePerson>;
interface Erased {
  /** How many rows it found. */
  found: number;
  /** The key after which the step continues; null at its end. */
  next: string | null;
}
type Step = (request: RequestOf<Erasure>, after: string | null) => Promise<Erased>;

/** Erases what a service stores about a person step by step, its events and dead letters included. */
export class PersonErasure {
  private readonly steps: Step[];
  private readonly cursors: StepCursors;

  constructor(
    private readonly db: Database,
    private readonly nc: NatsConnection,
    private readonly schema: string,
    private readonly data: PersonalData,
  ) {
    const { erased = [], scanned = [], deadLetterOfBusiness = isOfBusiness('r.body') } = data;
    const deadLetters: ScannedTable = {
      table: `${schema}.dead_letters`,
      key: 'id',
      type: 'bigint',
      where: `${deadLetterOfBusiness} AND ${isOfPerson(CONVERSATION_OF_DEAD_LETTER, namesPerson('r.body', 'r.at'))}`,
      change: `DELETE FROM ${schema}.dead_letters t USING hit WHERE t.id = hit.id`,
    };
    this.steps = [
      ...erased.map(
        (sql): Step =>
          (request) =>
            this.eraseByStatement(sql, request),
      ),
      ...[...scanned, deadLetters].map(
        (table): Step =>
          (request, after) =>
            this.eraseScanned(table, request, after),
      ),
      (request, after) => this.eraseEvents(request, after),
    ];
    this.cursors = new StepCursors(this.steps.length, [data.erased, data.scanned, deadLetters]);
  }

  async step(request: RequestOf<Erasure>): Promise<ResponseOf<Erasure>> {
    const place = this.cursors.read(request.cursor);
    // Starts over, and counts as found, so that the gateway does not take half a round for a whole one.
    if (place === null) return { found: 1, next_cursor: this.cursors.first() };
    const { step, after } = place;
    const { found, next } = (await this.steps[step]?.(request, after)) ?? { found: 0, next: null };
    return { found, next_cursor: next === null ? this.cursors.afterStep(step) : this.cursors.within(step, next) };
  }

  private async eraseByStatement(erased: string | { batch: string }, request: RequestOf<Erasure>): Promise<Erased> {
    const isBatch = typeof erased !== 'string';
    const sql = isBatch ? erased.batch : erased;
    const rows = await this.db.transaction(async (tx) => {
      // A statement of its own, so that the next one sees what was committed while it waited.
      if (this.data.lock) await tx.query(`${PERSON}${this.data.lock}`, personValues(request));
      return tx.query(`${PERSON}${sql}`, personValues(request));
    });
    return { found: rows.length, next: isBatch && rows.length > 0 ? '' : null };
  }

  private async eraseScanned(scanned: ScannedTable, request: RequestOf<Erasure>, after: string | null): Promise<Erased> {
    const { table, key, where, change } = scanned;
    const { hits, next } = await this.readChunk<number>(
      `hit AS MATERIALIZED (SELECT r.${key} FROM chunk JOIN ${table} r USING (${key}) CROSS JOIN person WHERE ${where}),
       changed AS (${change} RETURNING 1)
       SELECT (SELECT count(*) FROM hit)::integer AS hits`,
      scanned,
      request,
      after,
    );
    return { found: hits, next };
  }

  private async eraseEvents(request: RequestOf<Erasure>, after: string | null): Promise<Erased> {
    const outbox = `${this.schema}.outbox`;
    const { hits, next } = await this.readChunk<string[] | null>(
      `hit AS MATERIALIZED (SELECT r.event_id FROM chunk JOIN ${outbox} r USING (event_id)
         CROSS JOIN person WHERE ${isEventOfPerson('r')} AND ${isOfBusiness('r.body')})
       SELECT (SELECT json_agg(event_id) FROM hit) AS hits`,
      { table: outbox, key: 'event_id', type: 'text' },
      request,
      after,
    );
    if (hits) await eraseEvents(this.db, this.nc, hits);
    return { found: hits?.length ?? 0, next };
  }

  /** @param sql reads the keys of `chunk` and returns `hits` */
  private async readChunk<H>(
    sql: string,
    { table, key, type, keyedByBusiness }: Pick<ScannedTable, 'table' | 'key' | 'type' | 'keyedByBusiness'>,
    request: RequestOf<Erasure>,
    after: string | null,
  ): Promise<{ hits: H; next: string | null }> {
    const [result] = await this.db.query<{ hits: H; last: string | null; read: number }>(
      `${PERSON}, chunk AS MATERIALIZED (
         SELECT ${key} FROM ${table} WHERE ${keyedByBusiness ? 'business_id = $1 AND ' : ''}${key} > coalesce($9::text, '${BEFORE_ALL_KEYS[type]}')::${type} ORDER BY ${key} LIMIT ${CHUNK_ROWS}
       ), ${sql}, (SELECT count(*) FROM chunk)::integer AS read, (SELECT ${key}::text FROM chunk ORDER BY ${key} DESC LIMIT 1) AS last`,
      [...personValues(request), after],
    );
    if (!result) throw new Error('a count returned no row');
    return { hits: result.hits, next: result.read < CHUNK_ROWS ? null : result.last };
  }
}
