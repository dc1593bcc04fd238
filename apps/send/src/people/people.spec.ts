import {
  erasePerson,
  exportPerson,
  FindMedia,
  FindPerson,
  GetSuppression,
  PrepareErasure,
  RecordUpload,
  SendInteractive,
  SendLocation,
  SendMedia,
  SendText,
  SetSuppression,
  type GatewayError,
  type ResponseOf,
  type RequestOf,
} from '@mgw/contracts';
import { eraseFrom, exportedRows, inboundEvent, rowsRead } from '@mgw/harness';
import type { Database } from '@mgw/postgres';
import { personalDataController } from '@mgw/service';
import { eventually } from '@mgw/testing';
import { startSending, type Sending } from '../send.fixture';
import { sendPersonalData } from './personal-data';
import { PeopleStore } from './people.store';

type Export = ReturnType<typeof exportPerson>;
type Exporting = new (db: Database) => { export(request: RequestOf<Export>): Promise<{ response: ResponseOf<Export> }> };

const OPTED_OUT = '919876500001';
const OTHER = '919876500002';
/** People who wrote to the business and may be sent files. */
const [ASHA, BEN, CARA] = ['919876500003', '919876500004', '919876500005'] as const;

describe('personal data', () => {
  let sending: Sending;
  beforeAll(async () => {
    sending = await startSending();
    await sending.run();
    // The service reads the business's key with the first message.
    await prepare(OTHER);
    const written = [ASHA, BEN, CARA].map((phone) =>
      inboundEvent({ message_id: `wamid.${phone}`, from: { phone, user_id: null, name: 'Customer' }, sent_at: new Date().toISOString() }),
    );
    await sending.harness.publish(...written);
    await eventually(async () => (await sending.harness.published('message.received')).length === written.length);
  });
  afterAll(() => sending.harness.close());

  const prepare = (phone: string) => sending.harness.rpc.call(PrepareErasure, { business_id: 1, phone });

  /** @returns the most rows of a step */
  async function erase(phone: string): Promise<number> {
    const person = { business_id: 1, ...(await prepare(phone)) };
    // Stands for the time after which every replica knows the key.
    await sending.harness.db.query(`UPDATE send.erasure_keys SET created_at = now() - interval '1 minute'`);
    return eraseFrom(sending.harness.rpc, 'send', person);
  }

  /** Records an upload and sends it to these people. */
  async function upload(media_id: string, ...people: string[]): Promise<void> {
    const filename = `Invoice ${media_id}.pdf`;
    const file = { business_id: 1, media_id, mime_type: 'application/pdf', file_size: 7, filename };
    await sending.harness.rpc.call(RecordUpload, file);
    for (const to of people)
      await sending.harness.rpc.call(SendMedia, {
        sender: sending.sender(),
        to,
        media_type: 'document',
        media_id,
        caption: null,
        filename,
      });
  }
  const find = (media_id: string) =>
    sending.harness.rpc
      .call(FindMedia, { business_id: 1, media_id })
      .then(({ filename }) => filename)
      .catch(({ error_code }: GatewayError) => error_code);
  const storedFiles = async () =>
    (await sending.harness.db.query<{ media_id: string }>('SELECT media_id FROM send.stored_files ORDER BY 1')).map((row) => row.media_id);

  async function exported(phone: string): Promise<Record<string, unknown>[]> {
    const person = { business_id: 1, ...(await sending.harness.rpc.call(FindPerson, { business_id: 1, phone })) };
    return exportedRows(sending.harness.rpc, 'send', person);
  }

  it('decision 382: an opted-out person who was erased is known by a hash only, gets no message, and is opted out again as soon as somebody writes to the number', async () => {
    for (const phone of [OPTED_OUT, OTHER]) expect(await sending.template({}, { to: phone })).toMatchObject({ phone });
    const state = 'opted_out' as const;
    await sending.harness.rpc.call(SetSuppression, { business_id: 1, phone: OPTED_OUT, state, reason: 'Asked us.' });
    for (const phone of [OPTED_OUT, OTHER]) await erase(phone);
    const rows = await sending.harness.db.query<{ row: string }>(
      `SELECT c::text AS row FROM send.conversations c UNION ALL SELECT a::text FROM send.conversation_aliases a
       UNION ALL SELECT i::text FROM send.intents i UNION ALL SELECT e::text FROM send.erased_opt_outs e`,
    );
    expect(rows.filter(({ row }) => row.includes(OPTED_OUT) || row.includes(OTHER))).toEqual([]);

    expect(await sending.template({}, { to: OPTED_OUT })).toMatchObject({ error_code: 'RECIPIENT_SUPPRESSED' });
    expect(await sending.template({}, { to: OTHER })).toMatchObject({ phone: OTHER });
    const { suppression } = await sending.harness.rpc.call(GetSuppression, { business_id: 1, phone: OPTED_OUT });
    expect(suppression).toMatchObject({ phone: OPTED_OUT, state, source: 'dashboard', reason: null });
  });

  it('decision 754: an identical PUT is the newest statement when an erased person returns with two names', async () => {
    const [phone, user_id] = ['919876500096', 'IN.96'];
    const { rpc, db } = sending.harness;
    const put = (name: string, state: 'opted_out' | 'opted_out_marketing') =>
      rpc.call(SetSuppression, { business_id: 1, phone: name, state, reason: null });
    await put(phone, 'opted_out');
    await db.query(`UPDATE send.suppressions SET at = at - interval '1 day'`);
    await put(user_id, 'opted_out_marketing');
    await put(phone, 'opted_out');
    for (const name of [phone, user_id]) await erase(name);
    await sending.harness.publish(inboundEvent({ message_id: 'wamid.returned', from: { phone, user_id, name: '' } }));
    await eventually(async () => (await db.query(`SELECT FROM send.inbound_messages WHERE message_id = 'wamid.returned'`)).length === 1);
    expect((await rpc.call(GetSuppression, { business_id: 1, phone })).suppression).toMatchObject({ state: 'opted_out' });
  });

  it('decision 385: an export has the content of sent messages and the uploads that the person was sent', async () => {
    await upload('51', BEN, BEN, CARA);
    await upload('52', CARA);
    const location = { latitude: 12.97, longitude: 77.59, name: 'Shop', address: 'MG Road' };
    const sent = { sender: sending.sender(), to: BEN, reply_to: `wamid.${BEN}` };
    const { message_id } = await sending.harness.rpc.call(SendLocation, { ...sent, location });
    await sending.harness.db.query(
      `UPDATE send.stored_files SET state = 'stored', mime_type = 'application/pdf', file_size = 7, sha256 = 'abc' WHERE media_id = '51'`,
    );
    const rows = await exported(BEN);
    const details = rows.filter(({ kind }) => kind === 'message_sent_details');
    expect(details).toHaveLength(3);
    const file = { media_id: '51', filename: 'Invoice 51.pdf' };
    expect(details.filter((row) => 'media_id' in (row['details'] as object))).toMatchObject([{ details: file }, { details: file }]);
    expect(details).toContainEqual({
      kind: 'message_sent_details',
      message_id,
      details: { location, context: { message_id: `wamid.${BEN}` } },
    });
    expect(rows.filter(({ kind }) => kind === 'file')).toEqual([
      { kind: 'file', ...file, mime_type: 'application/pdf', file_size: 7, sha256: 'abc' },
    ]);
    await sending.harness.db.query(`DELETE FROM send.stored_files WHERE media_id = '52'`);
    expect((await exported(CARA)).filter(({ kind }) => kind === 'file')).toMatchObject([
      { media_id: '51', sha256: 'abc' },
      { media_id: '52', filename: 'Invoice 52.pdf', file_size: 7, sha256: null },
    ]);
  });

  it('decision 402: an erasure deletes the uploads that nobody else was sent, from lookups and sends too', async () => {
    await upload('41', ASHA);
    await upload('42', ASHA, BEN);
    await upload('43', ASHA);
    await upload('44');
    await upload('45', BEN);
    await upload('46');
    const header = { type: 'document' as const, media_id: '46' };
    const content = { kind: 'buttons' as const, body: 'Which?', buttons: [{ id: 'a', title: 'A' }], header };
    await sending.harness.rpc.call(SendInteractive, { sender: sending.sender(), to: ASHA, content });
    // The outcome of this send is unknown: the person may have the file.
    sending.platform.respond((_, response) => void response.destroy());
    await upload('47');
    const image = { media_type: 'image' as const, caption: null, filename: null };
    await expect(
      sending.harness.rpc.call(SendMedia, { sender: sending.sender(), to: ASHA, ...image, media_id: '47' }),
    ).rejects.toMatchObject({ error_code: 'OUTCOME_UNKNOWN' });
    sending.platform.accept();
    // No store has a copy of this upload.
    await sending.harness.db.query(`DELETE FROM send.stored_files WHERE media_id = '43'`);
    expect(await Promise.all(['41', '43', '46', '47'].map(find))).toEqual(['41', '43', '46', '47'].map((id) => `Invoice ${id}.pdf`));
    await erase(ASHA);
    await erase(ASHA);
    expect(await Promise.all(['41', '43', '46', '47'].map(find))).toEqual(Array(4).fill('NOT_FOUND'));
    expect(await Promise.all(['42', '44', '45'].map(find))).toEqual(['42', '44', '45'].map((id) => `Invoice ${id}.pdf`));
    expect((await storedFiles()).filter((id) => id.startsWith('4'))).toEqual(['42', '44', '45']);
    const refusal = { error_code: 'VALIDATION_FAILED', extras: { details: [{ field: 'media_id' }] } };
    await expect(
      sending.harness.rpc.call(SendMedia, { sender: sending.sender(), to: BEN, ...image, media_id: '41' }),
    ).rejects.toMatchObject(refusal);
  });

  it('decision 730: a later round of an erasure leaves what belongs to whoever has the number meanwhile', async () => {
    const NUMBER = '919876500007';
    const write = async (text: string) => {
      const from = { phone: NUMBER, user_id: null, name: text };
      await sending.harness.publish(inboundEvent({ message_id: `wamid.${text}`, from, sent_at: new Date().toISOString(), text }));
      await eventually(async () => (await sending.harness.published('message.received')).some(({ id }) => id.endsWith(`wamid.${text}`)));
    };
    const refuse = async (text: string) => {
      sending.platform.refuse(131_026);
      await sending.harness.rpc.call(SendText, { sender: sending.sender(), to: NUMBER, text }).catch((error: GatewayError) => error);
      sending.platform.accept();
    };
    const texts = async () => {
      const sql = `SELECT text FROM send.intents WHERE recipient = $1 UNION ALL
        SELECT text FROM send.inbound_messages JOIN send.conversation_aliases USING (conversation_id) WHERE alias = $1 ORDER BY 1`;
      return (await sending.harness.db.query<{ text: string }>(sql, [NUMBER])).map(({ text }) => text);
    };
    await write('Before');
    await refuse('Before, refused');
    const person = { business_id: 1, ...(await prepare(NUMBER)) };
    await sending.harness.db.query(`UPDATE send.erasure_keys SET created_at = now() - interval '1 minute'`);
    await eraseFrom(sending.harness.rpc, 'send', { ...person, requested_at: new Date().toISOString() });
    expect(await texts()).toEqual([]);
    await write('Later');
    await refuse('Later, refused');
    // Stands for a round that follows ten minutes after the request.
    const requested_at = new Date(Date.now() - 600_000).toISOString();
    await eraseFrom(sending.harness.rpc, 'send', { ...person, requested_at });
    expect(await texts()).toEqual(['Later', 'Later, refused']);
  });

  describe('decision 730: the messages of a number that has had very many', () => {
    const NUMBER = '919876500008';
    beforeAll(async () => {
      // Stands for messages of later days.
      await sending.harness.db.query(`UPDATE send.former_aliases_since SET at = '-infinity'`);
      await sending.template({}, { to: NUMBER });
      await sending.harness.db.query(
        `WITH sent AS (
           INSERT INTO send.intents (id, business_id, state, recipient, type, sent_by, text, message_id, created_at, details)
           SELECT gen_random_uuid(), 1, 'accepted', $1, 'image', 'api', 'Many', 'wamid.many' || n, now(),
             json_build_object('media_id', CASE n % 3 WHEN 0 THEN '80' ELSE '8000' || n END) FROM generate_series(1, 1800) n RETURNING id, message_id
         ), accepted AS (
           INSERT INTO send.messages (business_id, message_id, intent_id, conversation_id, accepted_at)
           SELECT 1, message_id, sent.id, a.conversation_id, now() - substring(message_id FROM '\\d+')::integer * interval '1 second'
           FROM sent, send.conversation_aliases a WHERE alias = $1
         )
         INSERT INTO send.inbound_messages (business_id, message_id, conversation_id, type, text, sent_at)
         SELECT 1, 'wamid.in' || message_id, a.conversation_id, 'text', 'Many', now() - substring(message_id FROM '\\d+')::integer / 3 * interval '1 second'
         FROM sent, send.conversation_aliases a WHERE alias = $1`,
        [NUMBER],
      );
      await sending.harness.db.query(
        `INSERT INTO send.uploads (business_id, media_id, mime_type, file_size)
         SELECT DISTINCT 1, details->>'media_id', 'image/png', 7 FROM send.intents WHERE text = 'Many'`,
      );
      // Half of them are received files.
      await sending.harness.db.query(
        `INSERT INTO send.stored_files (business_id, media_id, last_used_at, attempts, conversation_id, state)
         SELECT 1, media_id, now(), 0, NULL::bigint, 'waiting' FROM send.uploads WHERE media_id LIKE '80%'
         UNION ALL SELECT 1, 'in' || media_id, now(), 1, a.conversation_id, 'stored' FROM send.uploads, send.conversation_aliases a WHERE media_id LIKE '80%' AND alias = $1`,
        [NUMBER],
      );
    });

    it('are not read to find the person', async () => {
      const find = (db: Database) => new PeopleStore(db).find(1, NUMBER);
      expect((await rowsRead(sending.harness.db, find))['messages'] ?? 0).toBe(0);
      expect((await sending.harness.rpc.call(FindPerson, { business_id: 1, phone: NUMBER })).names).toEqual([NUMBER]);
    });

    it('decision 736: are exported once each, by an index', async () => {
      const person = { business_id: 1, ...(await sending.harness.rpc.call(FindPerson, { business_id: 1, phone: NUMBER })) };
      const rows = await exportedRows(sending.harness.rpc, 'send', person);
      const ids = (of: string) => rows.flatMap(({ kind, message_id }) => (kind === of ? [message_id as string] : [])).sort();
      const many = Array.from({ length: 1_800 }, (_, i) => `wamid.many${i + 1}`).sort();
      expect(ids('message_sent_details')).toEqual(many);
      expect(ids('message_received')).toEqual(many.map((id) => `wamid.in${id}`));
      const files = rows.flatMap(({ kind, media_id, filename }) => (kind === 'file' && filename !== undefined ? [media_id] : []));
      expect(new Set(files).size).toBe(1201);
      for (const kind of ['message_received', 'message_sent_details', 'sent_file'] as const) {
        const exported = Object.fromEntries(Object.entries(sendPersonalData.exported ?? {}).filter(([name]) => name === kind));
        let cursor: string | null = null;
        for (let page = 0; page < 3; page += 1) {
          const read = await rowsRead(sending.harness.db, async (db) => {
            const controller = new (personalDataController('send', 'send', { exported }) as unknown as Exporting)(db);
            ({
              response: { next_cursor: cursor },
            } = await controller.export({ ...person, cursor }));
          });
          expect((read['inbound_messages'] ?? 0) + (read['messages'] ?? 0)).toBeLessThan(400);
        }
      }
    });

    it('are erased in steps of 500', async () => {
      expect(await erase(NUMBER)).toBe(500);
      expect(await sending.harness.db.query(`SELECT FROM send.intents WHERE text = 'Many' OR recipient = $1`, [NUMBER])).toEqual([]);
      const messages = `SELECT FROM send.messages WHERE message_id LIKE 'wamid.many%' UNION ALL SELECT FROM send.inbound_messages WHERE text = 'Many'`;
      expect(await sending.harness.db.query(messages)).toEqual([]);
      expect(await sending.harness.db.query(`SELECT FROM send.uploads WHERE media_id LIKE '80%'`)).toEqual([]);
      const files = `SELECT media_id LIKE 'in%' AS received, state, count(*)::integer FROM send.stored_files WHERE media_id ~ '^(in)?80' GROUP BY 1, 2`;
      expect(await sending.harness.db.query(files)).toEqual([{ received: true, state: 'deleting', count: 1201 }]);
    });

    it('an upload that the person was sent very often goes once, and stays with another person who was sent it', async () => {
      const [SENT_OFTEN, SENT_TO_BOTH] = ['91', '92'] as const;
      const OFTEN = '919876500010';
      await sending.harness.publish(
        inboundEvent({
          message_id: `wamid.${OFTEN}`,
          from: { phone: OFTEN, user_id: null, name: 'Often' },
          sent_at: new Date().toISOString(),
        }),
      );
      await eventually(async () => (await sending.harness.published('message.received')).some(({ id }) => id.endsWith(`wamid.${OFTEN}`)));
      await upload(SENT_OFTEN, OFTEN);
      await upload(SENT_TO_BOTH, OFTEN, CARA);
      await sending.harness.db.query(
        `WITH sent AS (
           INSERT INTO send.intents (id, business_id, state, recipient, type, sent_by, text, message_id, created_at, details)
           SELECT gen_random_uuid(), 1, 'accepted', $1, 'image', 'api', '', 'wamid.often' || file || '-' || n, now(), json_build_object('media_id', file)
           FROM generate_series(1, 1100) n, unnest($2::text[]) file RETURNING id, message_id
         )
         INSERT INTO send.messages (business_id, message_id, intent_id, conversation_id, accepted_at)
         SELECT 1, message_id, sent.id, a.conversation_id, now() FROM sent, send.conversation_aliases a WHERE alias = $1`,
        [OFTEN, [SENT_OFTEN, SENT_TO_BOTH]],
      );
      expect(await erase(OFTEN)).toBe(500);
      expect(await Promise.all([SENT_OFTEN, SENT_TO_BOTH].map(find))).toEqual(['NOT_FOUND', 'Invoice 92.pdf']);
    });
  });

  it('decision 743: an erasure that another version began with other steps starts over', async () => {
    const NUMBER = '919876500009';
    await sending.template({}, { to: NUMBER });
    const person = { business_id: 1, ...(await prepare(NUMBER)) };
    await sending.harness.db.query(`UPDATE send.erasure_keys SET created_at = now() - interval '1 minute'`);
    const step = (cursor: string | null) => sending.harness.rpc.call(erasePerson('send'), { ...person, cursor });
    const { next_cursor: second } = await step(null);
    const restart = { found: 1, next_cursor: second?.replace(/1$/, '0') };
    for (const cursor of ['9', '12', `9 ${person.hash_key}`, second?.replace(/^ ./, ' -').replace(/1$/, '12')])
      expect(await step(cursor ?? '')).toEqual(restart);
    // The previous version reads the number of a step up to the first space.
    expect(Number(second?.split(' ')[0])).toBe(0);
    for (let cursor: string | null = restart.next_cursor ?? ''; cursor !== null;) ({ next_cursor: cursor } = await step(cursor));
    expect(await sending.harness.db.query('SELECT FROM send.conversation_aliases WHERE alias = $1', [NUMBER])).toEqual([]);
  });

  it('decision 743: an export that another version began with other kinds is refused', async () => {
    const page = (cursor: string | null) =>
      sending.harness.rpc.call(exportPerson('send'), { business_id: 1, names: [OTHER], conversation_ids: [], cursor });
    const { next_cursor: second } = await page(null);
    for (const cursor of ['5', '3 wamid.x', '9', second?.replace(/^ {2}./, '  -') ?? ''])
      await expect(page(cursor)).rejects.toMatchObject({ error_code: 'CONFLICT' });
    // The previous version reads the number of a kind up to the first space, and behind it the key after which it continues.
    expect(second).toMatch(/^ {2}\S+ 1$/);
    expect(await page(second)).toMatchObject({ rows: [], next_cursor: second?.replace(/1$/, '2') });
  });

  describe('decision 704: a number that passed to another person', () => {
    const NUMBER = '919876500006';
    const [FORMER, OWNER] = ['IN.1111', 'IN.2222'] as const;
    const text = (words: string) =>
      sending.harness.rpc.call(SendText, { sender: sending.sender(), to: NUMBER, text: words }).catch((error: GatewayError) => error);

    async function write(user_id: string): Promise<void> {
      const sent = { message_id: `wamid.${user_id}`, from: { phone: NUMBER, user_id, name: user_id }, sent_at: new Date().toISOString() };
      await sending.harness.publish(inboundEvent({ ...sent, text: `From ${user_id}` }));
      await eventually(async () => (await sending.harness.published('message.received')).some(({ id }) => id.endsWith(sent.message_id)));
    }
    async function sendAll(name: string, media_id: string): Promise<void> {
      await text(`Accepted ${name}`);
      await upload(media_id, NUMBER);
      sending.platform.refuse(131_026);
      await text(`Refused ${name}`);
      sending.platform.accept();
    }
    /** The texts of sends that name the number. */
    const texts = async () => {
      const sql = `SELECT text FROM send.intents WHERE recipient = $1 AND type = 'text' ORDER BY created_at`;
      return (await sending.harness.db.query<{ text: string }>(sql, [NUMBER])).map((row) => row.text);
    };
    const contentOf = async (name: string) => {
      const rows = await exported(name);
      return {
        received: rows.filter(({ kind }) => kind === 'message_received').map((row) => row['text']),
        files: rows.filter(({ kind }) => kind === 'file').map(({ media_id }) => media_id),
        former: rows.filter(({ kind }) => kind === 'conversation').flatMap(({ former_names }) => former_names),
      };
    };

    beforeAll(async () => {
      await write(FORMER);
      await sendAll('before', '61');
      await write(OWNER);
      await sendAll('after', '62');
    });

    it('belongs to each person for their time', async () => {
      const { name_periods: former = [], ...person } = await sending.harness.rpc.call(FindPerson, { business_id: 1, phone: FORMER });
      expect(person).toMatchObject({ names: [FORMER], conversation_ids: [expect.any(Number)] });
      const { name_periods: present, names } = await sending.harness.rpc.call(FindPerson, { business_id: 1, phone: NUMBER });
      expect(names.sort()).toEqual([NUMBER, OWNER]);
      const passed = former.find(({ name }) => name === NUMBER)?.until;
      expect(former).toContainEqual({ name: NUMBER, since: null, until: expect.any(String) });
      expect(present).toContainEqual({ name: NUMBER, since: passed, until: null });
    });

    it('an export has the messages and files of its person only', async () => {
      expect(await contentOf(FORMER)).toEqual({ received: [`From ${FORMER}`], files: ['61'], former: [NUMBER] });
      expect(await contentOf(NUMBER)).toEqual({ received: [`From ${OWNER}`], files: ['62'], former: [] });
    });

    it('messages show a name that passed on before the gateway kept former names', async () => {
      await sending.harness.db.query(`UPDATE send.former_aliases_since SET at = 'infinity'`);
      await sending.harness.db.query('CREATE TABLE kept AS TABLE send.former_aliases');
      await sending.harness.db.query('DELETE FROM send.former_aliases');
      const { name_periods } = await sending.harness.rpc.call(FindPerson, { business_id: 1, phone: FORMER });
      const period = name_periods?.find(({ name }) => name === NUMBER);
      const [first] = await sending.harness.db.query<{ at: Date }>(
        `SELECT created_at - interval '30 seconds' AS at FROM send.intents WHERE text = 'Accepted before'`,
      );
      expect(Date.parse(period?.since ?? '')).toBeLessThan(first?.at.getTime() ?? 0);
      expect(period?.until).toEqual(expect.any(String));
      await sending.harness.db.query('INSERT INTO send.former_aliases SELECT * FROM kept');
      await sending.harness.db.query(`UPDATE send.former_aliases_since SET at = '-infinity'`);
    });

    it('an erasure leaves the messages of the other person, and misses none', async () => {
      await erase(NUMBER);
      expect(await texts()).toEqual(['Accepted before', 'Refused before']);
      expect(await Promise.all(['61', '62'].map(find))).toEqual(['Invoice 61.pdf', 'NOT_FOUND']);
      await erase(FORMER);
      expect(await texts()).toEqual([]);
      expect(await find('61')).toBe('NOT_FOUND');
      expect(await sending.harness.db.query('SELECT FROM send.former_aliases WHERE alias = $1', [NUMBER])).toEqual([]);
    });
  });
});
