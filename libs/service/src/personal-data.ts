import { createHash } from 'node:crypto';
import { Controller, Inject, type Type } from '@nestjs/common';
import {
  erasePerson,
  exportPerson,
  GatewayError,
  type PeopleService,
  type PersonRef,
  type ResponseOf,
  type RequestOf,
} from '@mgw/contracts';
import { eraseEvents } from '@mgw/events';
import type { NatsConnection } from '@mgw/nats';
import { Database } from '@mgw/postgres';
import { Handles } from '@mgw/rpc';
import { NATS } from './service.module';

/** A table without an index that finds a person: read in the order of its key, some rows a step. */
interface ScannedTable {
  table: string;
  key: string;
  type: 'bigint' | 'uuid' | 'text';
  /** The primary key is the business and the key. */
  keyedByBusiness?: boolean;
  /** SQL: whether row `r` belongs to `person`. */
  where: string;
  /** SQL that erases the rows of `hit`, which has their keys. */
  change: string;
}

/**
 * The personal data of a service. Statements may use the row `person (business_id, names, conversations, hash_key, requested_at)`, with current
 * and former names, and the rows `periods (name, since, until)`, the times in which the person had them. In an erasure they end soon after its
 * request, because it may run for days and its names may belong to somebody else meanwhile (decision 730).
 */
export interface PersonalData {
  /**
   * SQL of the exported rows by kind: `key`, a unique text, and `row`, their JSON. All rows are read and sorted for each page. `page` is SQL
   * of one page in its own order, for kinds of which a person may have very many: at most PAGE_ROWS keys behind `$9`, the last one. Rows of
   * one key are together, and a null `row` exports nothing.
   */
  exported?: Record<string, string | { page: string }>;
  /** SQL that takes the locks which every writer of a person's rows takes; each step of `erased` begins after it. */
  lock?: string;
  /**
   * SQL, in its order; each returns a row for what it erased, and for what it leaves until work in progress ends. A batch erases at most BATCH
   * rows, and is repeated until it finds none.
   */
  erased?: (string | { batch: string })[];
  scanned?: ScannedTable[];
  /** SQL: whether dead letter `r` is of the person's business; by default its body names the business. */
  deadLetterOfBusiness?: string;
}

interface ExportedRow {
  key: string;
  row: Record<string, unknown> | null;
  length: number;
}
type EraseRequest = RequestOf<ReturnType<typeof erasePerson>>;
type Step = (request: EraseRequest, after: string | null) => Promise<{ found: number; next: string | null }>;

/** Time after the request of an erasure in which names are still the person's: for work in progress, and clocks that differ. */
const IN_PROGRESS = '5 minutes';
/** `requested_at` is infinity for an export. */
const PERSON = `WITH person AS (
    SELECT $1::bigint AS business_id, $2::text[] AS names, $3::bigint[] AS conversations, $4::text AS hash_key, $5::timestamptz AS requested_at
  ), periods AS (
    SELECT p.name, p.since, least(p.until, requested_at + interval '${IN_PROGRESS}') AS until
    FROM person CROSS JOIN unnest($6::text[], $7::timestamptz[], $8::timestamptz[]) AS p (name, since, until)
  )`;
const BEFORE_ALL_KEYS = { bigint: '-1', uuid: '00000000-0000-0000-0000-000000000000', text: '' };
/** Rows that a step reads of a scanned table. */
const CHUNK_ROWS = 500;
/** Rows of a table of messages that a step erases. One number may have hundreds of thousands, and sends to it wait for the step's locks. */
export const BATCH = 500;
/** Rows and characters of an exported page. A row may exceed the latter by itself. */
export const PAGE_ROWS = 50;
const PAGE_CHARACTERS = 64 * 1024;

/** The text that replaces a name or a number. */
export const ERASED = 'erased';
/** SQL of the id that replaces a message id: the same in every service. */
export const erasedId = (id: string) => `'${ERASED}:' || encode(sha256(convert_to(person.hash_key || ${id}, 'UTF8')), 'hex')`;
/** SQL: whether the person had this name at the time. */
export const hadName = (name: string, at: string) =>
  `EXISTS (SELECT FROM periods p WHERE p.name = ${name} AND ${at} BETWEEN p.since AND p.until)`;
/** SQL: when an event happened, by its envelope or its public body. A service that was down may store its copy hours later. */
const HAPPENED_AT = (json: string) =>
  `substring(left(${json}, 4000) FROM '^\\{"(?:id":"[^"]*","type":"[^"]*","at|event":"[^"]*","timestamp)":"([12]\\d{3}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z)"')::timestamptz`;
/**
 * SQL: whether the JSON text of an event contains a name that the person had when it happened.
 * @param storedAt SQL of the time for a text that is no event
 */
export const namesPerson = (json: string, storedAt: string) =>
  `EXISTS (SELECT FROM periods p WHERE coalesce(${HAPPENED_AT(json)}, ${storedAt}) BETWEEN p.since AND p.until AND position('"' || p.name || '"' IN ${json}) > 0)`;
/**
 * SQL: whether a row belongs to the person (decision 704). The conversation decides where it is known, because a name may have passed to
 * another person.
 * @param named SQL for a row whose conversation is null
 */
export const isOfPerson = (conversation: string, named: string) =>
  `CASE WHEN ${conversation} IS NULL THEN ${named} ELSE ${conversation} = ANY (person.conversations) END`;
/** SQL: whether an event belongs to the person. */
export const isEventOfPerson = (r: string) =>
  isOfPerson(`substring(${r}.ordering_key FROM '^conversation:(\\d{1,18})$')::bigint`, namesPerson(`${r}.body`, `${r}.created_at`));
/** SQL: the conversation of an event, by the key in its envelope. */
const CONVERSATION_OF_DEAD_LETTER = `substring(left(r.body, 4000) FROM '^\\{"id":"[^"]*","type":"[^"]*","at":"[^"]*","business_id":\\d+,"key":"conversation:(\\d{1,18})"')::bigint`;
const isOfBusiness = (body: string) => `substring(left(${body}, 4000) FROM '"business_id":(\\d+)')::bigint = person.business_id`;

/** A controller that exports and erases what a service stores about a person, its events and dead letters included. */
export function personalDataController(service: PeopleService, schema: string, data: PersonalData): Type {
  const exported = Object.entries(data.exported ?? {});
  const deadLetters: ScannedTable = {
    table: `${schema}.dead_letters`,
    key: 'id',
    type: 'bigint',
    where: `${data.deadLetterOfBusiness ?? isOfBusiness('r.body')} AND ${isOfPerson(CONVERSATION_OF_DEAD_LETTER, namesPerson('r.body', 'r.at'))}`,
    change: `DELETE FROM ${schema}.dead_letters t USING hit WHERE t.id = hit.id`,
  };

  // The number of a kind or a step means nothing to a replica with another list (decision 743).
  const kindsId = hashOf(data.exported);
  const stepsId = hashOf([data.erased, data.scanned, deadLetters]);

  @Controller()
  class PersonalDataController {
    private readonly steps: Step[];

    constructor(
      private readonly db: Database,
      @Inject(NATS) private readonly nc: NatsConnection,
    ) {
      this.steps = [
        ...(data.erased ?? []).map(
          (erased): Step =>
            (request) =>
              this.eraseByStatement(erased, request),
        ),
        ...[...(data.scanned ?? []), deadLetters].map(
          (table): Step =>
            (request, after) =>
              this.eraseScanned(table, request, after),
        ),
        (request, after) => this.eraseEvents(request, after),
      ];
    }

    @Handles(exportPerson(service))
    async export(request: RequestOf<ReturnType<typeof exportPerson>>): Promise<ResponseOf<ReturnType<typeof exportPerson>>> {
      const cursor = request.cursor === null ? '0' : cursorOfList(request.cursor, kindsId);
      if (cursor === null) throw new GatewayError('CONFLICT', 'Another version of the service began this export. Start the export again.');
      const { place, after } = readCursor(cursor);
      const [kind, sql] = exported[place] ?? [];
      if (sql === undefined) return { rows: [], next_cursor: null };
      const afterKey = `WHERE key COLLATE "C" > coalesce($9::text, '') COLLATE "C" ORDER BY key COLLATE "C" LIMIT ${PAGE_ROWS}`;
      const pageSql = typeof sql === 'string' ? `(${sql}) r (key, row) ${afterKey}` : `(${sql.page}) r (key, row)`;
      const rows = await this.db
        .reads(request.business_id)
        .query<ExportedRow>(`${PERSON} SELECT key, row, coalesce(length(row::text), 0) AS length FROM ${pageSql}`, [
          ...valuesOf({ ...request, hash_key: '' }),
          after,
        ]);
      const page = rows.slice(0, countFitting(rows));
      const isLast = page.length === rows.length && rows.length < PAGE_ROWS;
      const nextCursor = isLast ? nextStep(place, exported.length) : `${place} ${page.at(-1)?.key}`;
      return {
        rows: page.flatMap(({ row }) => (row ? [{ kind, ...row }] : [])),
        next_cursor: nextCursor && withList(nextCursor, kindsId),
      };
    }

    @Handles(erasePerson(service))
    async erase(request: EraseRequest): Promise<ResponseOf<ReturnType<typeof erasePerson>>> {
      const cursor = request.cursor === null ? '0' : cursorOfList(request.cursor, stepsId);
      // Starts over, and counts as found, so that the gateway does not take half a round for a whole one.
      if (cursor === null) return { found: 1, next_cursor: withList('0', stepsId) };
      const { place, after } = readCursor(cursor);
      const { found, next } = (await this.steps[place]?.(request, after)) ?? { found: 0, next: null };
      const nextCursor = next === null ? nextStep(place, this.steps.length) : `${place} ${next}`;
      return { found, next_cursor: nextCursor && withList(nextCursor, stepsId) };
    }

    private async eraseByStatement(erased: string | { batch: string }, request: EraseRequest) {
      const isBatch = typeof erased !== 'string';
      const sql = isBatch ? erased.batch : erased;
      const rows = await this.db.transaction(async (tx) => {
        // A statement of its own, so that the next one sees what was committed while it waited.
        if (data.lock) await tx.query(`${PERSON}${data.lock}`, valuesOf(request));
        return tx.query(`${PERSON}${sql}`, valuesOf(request));
      });
      return { found: rows.length, next: isBatch && rows.length > 0 ? '' : null };
    }

    private async eraseScanned(scanned: ScannedTable, request: EraseRequest, after: string | null) {
      const { table, key, where, change } = scanned;
      return this.readChunk<number>(
        `hit AS MATERIALIZED (SELECT r.${key} FROM chunk JOIN ${table} r USING (${key}) CROSS JOIN person WHERE ${where}),
         changed AS (${change} RETURNING 1)
         SELECT (SELECT count(*) FROM hit)::integer AS hits`,
        scanned,
        request,
        after,
      ).then(({ hits, next }) => ({ found: hits, next }));
    }

    private async eraseEvents(request: EraseRequest, after: string | null) {
      const { hits, next } = await this.readChunk<string[] | null>(
        `hit AS MATERIALIZED (SELECT r.event_id FROM chunk JOIN ${schema}.outbox r USING (event_id)
           CROSS JOIN person WHERE ${isEventOfPerson('r')} AND ${isOfBusiness('r.body')})
         SELECT (SELECT json_agg(event_id) FROM hit) AS hits`,
        { table: `${schema}.outbox`, key: 'event_id', type: 'text' },
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
      request: EraseRequest,
      after: string | null,
    ): Promise<{ hits: H; next: string | null }> {
      const [result] = await this.db.query<{ hits: H; last: string | null; read: number }>(
        `${PERSON}, chunk AS MATERIALIZED (
           SELECT ${key} FROM ${table} WHERE ${keyedByBusiness ? 'business_id = $1 AND ' : ''}${key} > coalesce($9::text, '${BEFORE_ALL_KEYS[type]}')::${type} ORDER BY ${key} LIMIT ${CHUNK_ROWS}
         ), ${sql}, (SELECT count(*) FROM chunk)::integer AS read, (SELECT ${key}::text FROM chunk ORDER BY ${key} DESC LIMIT 1) AS last`,
        [...valuesOf(request), after],
      );
      if (!result) throw new Error('a count returned no row');
      return { hits: result.hits, next: result.read < CHUNK_ROWS ? null : result.last };
    }
  }
  return PersonalDataController;
}

/** @returns how many rows fit into a page, at least those of one key */
function countFitting(rows: ExportedRow[]): number {
  let characters = 0;
  const tooMany = rows.findIndex(({ key, length }, i) => (characters += length) > PAGE_CHARACTERS && i > 0 && key !== rows[i - 1]?.key);
  return tooMany === -1 ? rows.length : tooMany;
}

type StatementRequest = PersonRef & { hash_key: string; requested_at?: string };

function valuesOf({
  business_id,
  names,
  conversation_ids,
  name_periods,
  hash_key,
  requested_at = 'infinity',
}: StatementRequest): unknown[] {
  const periods = name_periods ?? names.map((name) => ({ name, since: null, until: null }));
  return [
    business_id,
    [...new Set([...names, ...periods.map(({ name }) => name)])],
    conversation_ids,
    hash_key,
    requested_at,
    periods.map(({ name }) => name),
    periods.map(({ since }) => since ?? '-infinity'),
    periods.map(({ until }) => until ?? 'infinity'),
  ];
}

/** A cursor is the number of a step or kind, and the key after which it continues. */
function readCursor(cursor: string): { place: number; after: string | null } {
  const [place, ...after] = cursor.split(' ');
  return { place: Number(place), after: after.length === 0 ? null : after.join(' ') };
}

const hashOf = (list: unknown) =>
  createHash('sha256')
    .update(JSON.stringify(list ?? null))
    .digest('base64url');

/**
 * Begins with two spaces: the previous version reads place 0 and a key that begins with a space, so one before all others. It
 * starts over, or fails where the key is a number, a UUID or JSON.
 */
const withList = (cursor: string, listId: string) => `  ${listId} ${cursor}`;

/** @returns the cursor, or null if a replica with another list made it */
function cursorOfList(cursor: string, listId: string): string | null {
  const prefix = withList('', listId);
  return cursor.startsWith(prefix) ? cursor.slice(prefix.length) : null;
}

const nextStep = (place: number, steps: number) => (place + 1 < steps ? String(place + 1) : null);
