import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PEOPLE_SERVICES } from '@mgw/contracts';
import { Database, runMigrations } from '@mgw/postgres';
import type { PersonalData, RunSettings, Service } from '@mgw/service';
import { testDatabase } from '@mgw/testing';

const APPS = join(__dirname, '../../../apps');
const withSchema = readdirSync(APPS).filter((app) => existsSync(join(APPS, app, 'src/migrations')));

/** Columns that hold a person's name, number or words, or lead to them. */
const PERSONAL = [
  ...['alias', 'body', 'caption', 'contact', 'conversation_id', 'customer', 'details', 'filename', 'inbound_message_id', 'message_id'],
  ...['ordering_key', 'phone', 'question', 'recipient', 'reply', 'text', 'word'],
];
const TABLES = `
  SELECT DISTINCT c.table_schema || '.' || c.table_name AS name FROM information_schema.columns c
    JOIN pg_class t ON t.oid = format('%I.%I', c.table_schema, c.table_name)::regclass AND t.relkind IN ('r', 'p') AND NOT t.relispartition
   WHERE c.table_schema = $1 AND c.column_name = ANY ($2) ORDER BY 1`;

/** Tables that an erasure leaves as they are, and why. */
const NOT_ERASED: Record<string, string> = {
  'access.erasures': 'four digits of the number, to show what was erased',
  'dispatch.lanes': 'names a conversation by its id, which leads to nobody after the erasure',
  'send.conversation_words': 'a trigger of send.conversations deletes its rows',
  'send.quick_replies': 'texts of the business',
  'template.dead_letters': 'updates of templates and accounts name nobody',
  'template.outbox': 'updates of templates and accounts name nobody',
};
/** Tables of which an export has nothing, and why (decision 385). */
const NOT_EXPORTED: Record<string, string> = {
  ...NOT_ERASED,
  'broadcast.reports': 'statuses that wait for their recipient',
  'dispatch.backlog': 'copies of events',
  'dispatch.deliveries': 'copies of events',
  'dispatch.feed_events': 'copies of events',
  'ingest.callbacks': 'copies of messages and statuses',
  'status.record_keys': 'status.records has the sent messages',
};

/** The personal data of an app, as its module declares it; empty for an app that holds none. */
async function personalDataOf(app: string): Promise<PersonalData> {
  const file = readdirSync(join(APPS, app, 'src'), { recursive: true, encoding: 'utf8' }).find((name) =>
    /(^|\/)personal-data\.ts$/.test(name),
  );
  if (file === undefined) return {};
  const declared = Object.values((await import(join(APPS, app, 'src', file))) as Record<string, PersonalData>)[0];
  if (declared === undefined) throw new Error(`${app} declares no personal data`);
  return declared;
}

describe('decisions 381, 385: every table with personal data is erased and exported', () => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  beforeAll(async () => (database = await testDatabase()));
  afterAll(() => database.drop());

  it.each(withSchema)('%s', async (app) => {
    const { service } = (await import(join(APPS, app, 'src/main'))) as { service: Service<RunSettings> };
    const { schema, sources, migrations } = service;
    await runMigrations({ url: database.url, schema, sources, migrations: migrations as [] });
    const db = await Database.open({ url: database.url, schema });
    const tables = (await db.query<{ name: string }>(TABLES, [schema, PERSONAL])).map(({ name }) => name);
    await db.close();
    const { exported = {}, erased = [], scanned = [] } = await personalDataOf(app);
    const isPeopleService = (PEOPLE_SERVICES as readonly string[]).includes(app);
    // The controller of every service with people erases these, and exports no copies.
    const events = isPeopleService ? [`${schema}.outbox`, `${schema}.dead_letters`] : [];
    const missing = (statements: string, exempt: string[]) =>
      tables.filter((name) => !exempt.includes(name) && !new RegExp(`\\b${name}\\b`).test(statements));
    expect(missing(JSON.stringify([erased, scanned]), [...events, ...Object.keys(NOT_ERASED)])).toEqual([]);
    expect(missing(JSON.stringify(exported), [...events, ...Object.keys(NOT_EXPORTED)])).toEqual([]);
  });
});
