import type { PersonRef } from '@mgw/contracts';

/** A table without an index that finds a person: read in the order of its key, some rows a step. */
export interface ScannedTable {
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

/** Time after the request of an erasure in which names are still the person's: for work in progress, and clocks that differ. */
const IN_PROGRESS = '5 minutes';
/** SQL of `person` and `periods`, with eight parameters; `requested_at` is infinity for an export. */
export const PERSON = `WITH person AS (
    SELECT $1::bigint AS business_id, $2::text[] AS names, $3::bigint[] AS conversations, $4::text AS hash_key, $5::timestamptz AS requested_at
  ), periods AS (
    SELECT p.name, p.since, least(p.until, requested_at + interval '${IN_PROGRESS}') AS until
    FROM person CROSS JOIN unnest($6::text[], $7::timestamptz[], $8::timestamptz[]) AS p (name, since, until)
  )`;

type Person = PersonRef & { hash_key: string; requested_at?: string };

/** The values of PERSON's parameters. */
export function personValues({
  business_id,
  names,
  conversation_ids,
  name_periods,
  hash_key,
  requested_at = 'infinity',
}: Person): unknown[] {
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

/** Rows of a table of messages that a step erases. One number may have hundreds of thousands, and sends to it wait for the step's locks. */
export const BATCH = 500;
/** Rows of an exported page. */
export const PAGE_ROWS = 50;

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
 * @param storedAt SQL of the time for a text that is not an event
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
export const CONVERSATION_OF_DEAD_LETTER = `substring(left(r.body, 4000) FROM '^\\{"id":"[^"]*","type":"[^"]*","at":"[^"]*","business_id":\\d+,"key":"conversation:(\\d{1,18})"')::bigint`;
/** SQL: whether an event's text names the person's business. */
export const isOfBusiness = (body: string) => `substring(left(${body}, 4000) FROM '"business_id":(\\d+)')::bigint = person.business_id`;
