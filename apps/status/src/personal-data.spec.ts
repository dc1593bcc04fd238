import { MessageNotSent, MessageSent, type exportPerson, type PersonRef, type ResponseOf, type RequestOf } from '@mgw/contracts';
import { newEvent } from '@mgw/events';
import { eraseFrom, exportedRows, FORMER_OWNER, OWNER, PASSED, rowsRead, startHarness, type Harness } from '@mgw/harness';
import type { Database } from '@mgw/postgres';
import { personalDataController } from '@mgw/service';
import { eventually } from '@mgw/testing';
import { service } from './main';
import { statusPersonalData } from './personal-data';

type Export = ReturnType<typeof exportPerson>;
type Exporting = new (db: Database) => { export(request: RequestOf<Export>): Promise<{ response: ResponseOf<Export> }> };

const BEFORE = '2026-01-05T00:00:00.000Z';
const AFTER = '2026-01-15T00:00:00.000Z';
const common = { business_id: 1, at: BEFORE };
const message = { to: PASSED.number, type: 'text', sent_by: 'api' } as const;

function sentTo(conversation_id: number, text: string, at = BEFORE) {
  const data = { ...message, message_id: `wamid.${text}`, text, conversation_id, business_id: 1 };
  const facts = { intent_id: 'i', api_key_id: null, template: null, repaired: false };
  return newEvent(MessageSent, { ...common, id: `message.sent:${text}`, at, key: `conversation:${conversation_id}`, data, facts });
}
function notSent(text: string, at = BEFORE) {
  const data = { ...message, intent_id: text, text, api_key_id: null, template: null, reason: 'No.' };
  return newEvent(MessageNotSent, { ...common, id: `message.not-sent:${text}`, at, key: `intent:${text}`, data });
}

describe('decision 704: a number that passed to another person', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness(service);
    await harness.run(service);
    // WhatsApp may accept a message to the former owner under the number even after it passed on.
    const events = [sentTo(1, 'first'), sentTo(1, 'late', AFTER), notSent('failed'), sentTo(2, 'second', AFTER), notSent('refused', AFTER)];
    await harness.publish(...events);
    await eventually(async () => (await texts()).length === events.length);
    // The previous version stored no conversation.
    await harness.db.query(
      `INSERT INTO status.records (business_id, message_id, month, recipient, sent_at, status, rank, text)
       SELECT 1, text, '2026-01-01', $1, at, 'sent', 1, text FROM (VALUES ('old', $2::timestamptz), ('newer', $3)) AS r (text, at)`,
      [PASSED.number, BEFORE, AFTER],
    );
  });
  afterAll(() => harness.close());

  const texts = async () =>
    (await harness.db.query<{ text: string }>(`SELECT text FROM status.records WHERE text <> '' ORDER BY 1`)).map(({ text }) => text);
  const exported = async (person: typeof OWNER) =>
    (await exportedRows(harness.rpc, 'status', person)).filter(({ kind }) => kind === 'message_sent').map(({ text }) => text);

  it('an export has the messages to the person only', async () => {
    expect((await exported(FORMER_OWNER)).sort()).toEqual(['failed', 'first', 'late', 'old']);
    expect((await exported(OWNER)).sort()).toEqual(['newer', 'refused', 'second']);
  });

  it('a person of a previous version’s request has the messages of their conversations, and those without one by number', async () => {
    const { business_id, names, conversation_ids } = OWNER;
    expect((await exported({ business_id, names, conversation_ids })).sort()).toEqual(['failed', 'newer', 'old', 'refused', 'second']);
  });

  describe('decision 736: a person with many messages', () => {
    const MANY: PersonRef = {
      ...{ business_id: 3, names: ['IN.3', '919876500001', '919876500002'], conversation_ids: [3] },
      name_periods: ['IN.3', '919876500001', '919876500002'].map((name) => ({ name, since: null, until: null })),
    };
    beforeAll(async () => {
      // Every fifth is of another person, and every seventh has no time. Messages of one second share it.
      await harness.db.query(
        `INSERT INTO status.records (business_id, message_id, month, recipient, sent_at, status, rank, text, conversation_id)
         SELECT 3, 'many' || n, '2026-01-01', '91987650000' || 1 + n % 2, CASE WHEN n % 7 > 0 THEN $1::timestamptz + n / 10 * interval '1 second' END,
           'read', 3, '', CASE WHEN n % 5 = 0 THEN 4 ELSE 3 END FROM generate_series(1, 3000) n`,
        [BEFORE],
      );
      await harness.db.query(
        `INSERT INTO status.history (business_id, message_id, status, occurred_at)
         SELECT 3, 'many' || n, status, $1 FROM generate_series(1, 3000) n, unnest(ARRAY['sent', 'delivered', 'read']) status`,
        [BEFORE],
      );
    });

    it('has each message and each status once', async () => {
      const rows = await exportedRows(harness.rpc, 'status', MANY);
      const [own, dated] = [ids((n) => n % 5 > 0), ids((n) => n % 5 > 0 && n % 7 > 0)];
      const exportedIds = (kind: string) => rows.filter((row) => row['kind'] === kind).map((row) => row['message_id']);
      expect(exportedIds('message_sent').sort()).toEqual(dated);
      expect(exportedIds('status').sort()).toEqual(own.flatMap((id) => [id, id, id]));
      const statuses = rows.filter((row) => row['kind'] === 'status').map((row) => `${String(row['message_id'])} ${String(row['status'])}`);
      expect(new Set(statuses).size).toBe(own.length * 3);
    });
    const ids = (which: (n: number) => boolean) =>
      Array.from({ length: 3_000 }, (_, i) => i + 1)
        .filter(which)
        .map((n) => `many${n}`)
        .sort();

    it.each(['message_sent', 'status'])('reads a page of %s by an index', async (kind) => {
      const exported = Object.fromEntries(Object.entries(statusPersonalData.exported ?? {}).filter(([name]) => name === kind));
      let cursor: string | null = null;
      for (let page = 0; page < 5; page += 1) {
        const rows = await rowsRead(harness.db, async (db) => {
          const controller = new (personalDataController('status', 'status', { exported }) as unknown as Exporting)(db);
          ({
            response: { next_cursor: cursor },
          } = await controller.export({ ...MANY, cursor }));
        });
        // A page of each name.
        expect(rows['records']).toBeLessThan(400);
        expect(rows['history'] ?? 0).toBeLessThan(200);
      }
    });
  });

  it('an erasure leaves the other person’s messages, and misses none', async () => {
    await eraseFrom(harness.rpc, 'status', OWNER);
    expect(await texts()).toEqual(['failed', 'first', 'late', 'old']);
    await eraseFrom(harness.rpc, 'status', FORMER_OWNER);
    expect(await texts()).toEqual([]);
    expect(await harness.db.query('SELECT FROM status.records WHERE recipient = $1', [PASSED.number])).toEqual([]);
  });

  it('decision 730: very many messages are erased in steps of 500', async () => {
    await harness.db.query(
      `INSERT INTO status.records (business_id, message_id, month, recipient, sent_at, status, rank, text, conversation_id)
       SELECT 1, 'many' || n, '2026-01-01', $1, $2, 'sent', 1, 'Many', 2 FROM generate_series(1, 1200) n`,
      [PASSED.number, AFTER],
    );
    expect(await eraseFrom(harness.rpc, 'status', OWNER)).toBe(500);
    expect(await texts()).toEqual([]);
  });
});
