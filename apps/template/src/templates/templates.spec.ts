import { randomUUID } from 'node:crypto';
import {
  FindTemplates,
  ListApprovedTemplates,
  ListTemplates,
  PlatformTemplateUpdate,
  SyncTemplates,
  type DataOf,
  type ResponseOf,
  type TemplateStatusChanged,
} from '@mgw/contracts';
import { newEvent } from '@mgw/events';
import { rowsRead } from '@mgw/harness';
import type { WantedEvents } from '@mgw/service';
import { eventually } from '@mgw/testing';
import { approved, bodyOf, codeOf, startTemplate, type TemplateFixture } from '../template.fixture';
import { SyncsStore } from './syncs.store';
import { TemplateStatusEvents } from './template-status-events.service';
import { TemplateUpdates } from './template-updates.service';
import { TemplatesStore } from './templates.store';

describe('templates (platform §3.1, §3.2)', () => {
  let fixture: TemplateFixture;
  beforeEach(async () => (fixture = await startTemplate()));
  afterEach(() => fixture.harness.close());

  it('platform §4.6: keeps a status update over a concurrent sync, until the next sync', async () => {
    const named = [{ business_id: 1, name: 'order', language: 'en' }];
    const found = async () => (await fixture.harness.rpc.call(FindTemplates, { names: named })).found[0]?.template;
    await fixture.connect();
    await fixture.synced();
    fixture.platform.heldPath = 'message_templates';
    await fixture.harness.rpc.call(SyncTemplates, { business_id: 1 });
    await fixture.held();
    await updateStatus({ event: 'PAUSED' });
    await eventually(async () => (await found()) === null);
    await fixture.sendHeld();
    await fixture.synced();
    expect(await found()).toBeNull();
    await fixture.harness.rpc.call(SyncTemplates, { business_id: 1 });
    await eventually(found);
  });

  const updateStatus = (update: object) => {
    const raw = { message_template_name: 'order', message_template_language: 'en', ...update };
    const data = { business_account_id: '801', field: 'message_template_status_update', raw };
    return fixture.harness.publish(
      newEvent(PlatformTemplateUpdate, { id: randomUUID(), at: new Date().toISOString(), business_id: 1, key: 't', data }),
    );
  };

  it('platform §4.6: keeps a status update over a concurrent sync, which still brings the new content', async () => {
    await fixture.connect();
    await fixture.synced();
    fixture.platform.templates = [approved('order', [bodyOf('Hello {{1}}, order {{2}} of {{3}}')], { status: 'PENDING' })];
    fixture.platform.heldPath = 'message_templates';
    await fixture.harness.rpc.call(SyncTemplates, { business_id: 1 });
    await fixture.held();
    await updateStatus({ event: 'REJECTED', reason: 'INVALID_FORMAT' });
    const listed = async () => (await fixture.harness.rpc.call(ListTemplates, { business_id: 1 })).templates[0];
    await eventually(async () => (await listed())?.status === 'REJECTED');
    await fixture.sendHeld();
    await fixture.synced();
    expect(await listed()).toMatchObject({ status: 'REJECTED', content: 'Hello {{1}}, order {{2}} of {{3}}' });
  });

  it('platform §4.6: shows the reason of a rejection at once, and not with another status', async () => {
    await fixture.connect();
    await fixture.synced();
    const listed = async () => (await fixture.harness.rpc.call(ListTemplates, { business_id: 1 })).templates[0];
    await updateStatus({ event: 'REJECTED', reason: 'INVALID_FORMAT' });
    const rejected = await eventually(async () => {
      const template = await listed();
      return template?.status === 'REJECTED' && template;
    });
    expect(rejected.rejected_reason).toBe('INVALID_FORMAT');
    await updateStatus({ event: 'APPROVED', reason: 'NONE' });
    const approvedNow = await eventually(async () => {
      const template = await listed();
      return template?.status === 'APPROVED' && template;
    });
    expect(approvedNow.rejected_reason).toBeNull();
  });

  it('platform §3.2, spec §2.4: maps every field, lists approved templates only, and keeps ids', async () => {
    fixture.platform.templates = [
      approved('order_update', [
        { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
        bodyOf('Hello {{1}}, {{2}}'),
        { type: 'FOOTER', text: 'Bye' },
      ]),
      approved('named', [bodyOf('Hi {{first_name}} of {{shop}}, {{first_name}}')], { parameter_format: 'NAMED', category: 'MARKETING' }),
      approved('waiting', [bodyOf('x')], { status: 'PENDING' }),
      approved('login', [bodyOf('{{1}} is it'), { type: 'BUTTONS', buttons: [{ type: 'URL', url: 'https://x/{{1}}' }] }], {
        category: 'AUTHENTICATION',
      }),
      approved('track', [bodyOf('Hi'), { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY' }, { type: 'URL', url: 'https://x/{{1}}' }] }]),
    ];
    await fixture.connect();
    const all = await fixture.synced();
    expect(all.templates).toHaveLength(5);
    const { templates: listed } = await fixture.harness.rpc.call(ListApprovedTemplates, { business_id: 1 });
    expect(listed.map(({ name }) => name)).toEqual(['login', 'named', 'order_update', 'track']);
    expect(listed[2]).toEqual({
      id: expect.any(Number) as number,
      name: 'order_update',
      display_name: 'Order update',
      content: 'Hello {{1}}, {{2}}',
      category: 'UTILITY',
      language: 'en',
      header_type: 'TEXT',
      header_text: 'Order {{1}}',
      footer_text: 'Bye',
      variables: ['1', '2'],
    });
    expect(listed[1]).toMatchObject({ content: 'Hi {{1}} of {{2}}, {{1}}', variables: ['first_name', 'shop'], header_type: null });
    const shapes = async (...wanted: [name: string, language: string][]) => {
      const names = wanted.map(([name, language]) => ({ business_id: 1, name, language }));
      return (await fixture.harness.rpc.call(FindTemplates, { names })).found;
    };
    const shape = async (name: string, language = 'en') => (await shapes([name, language]))[0];
    expect((await shape('login'))?.template?.button_parameters).toEqual([{ index: 0, takes: 'otp' }]);
    expect((await shape('track'))?.template?.button_parameters).toEqual([{ index: 1, takes: 'link' }]);
    expect(await shape('waiting')).toEqual({ template: null, available_languages: [] });
    expect(await shapes(['trak', 'en'], ['login', 'en'], ['Traack', 'de'], ['waitin', 'en'])).toMatchObject([
      { template: null, available_languages: [], similar: 'track' },
      { template: { name: 'login' } },
      { similar: 'track' },
      { template: null, available_languages: [] },
    ]);
    expect((await shape('waitin'))?.similar).toBeUndefined();
    expect(await shape('login', 'fr')).toEqual({ template: null, available_languages: ['en'] });
    expect(
      (await shapes(['track', 'en'], ['waiting', 'en'], ['login', 'fr'], ['login', 'en'])).map(({ template }) => template?.name),
    ).toEqual(['track', undefined, undefined, 'login']);
    fixture.platform.templates = fixture.platform.templates.slice(0, 1);
    await fixture.harness.rpc.call(SyncTemplates, { business_id: 1 });
    await eventually(async () => (await fixture.harness.rpc.call(ListTemplates, { business_id: 1 })).templates.length === 1);
    expect((await fixture.harness.rpc.call(ListApprovedTemplates, { business_id: 1 })).templates[0]?.id).toBe(listed[2]?.id);
  });

  it('spec §4.2, platform §3.1: lists thousands of large templates in pages, each once, during a sync', async () => {
    const large = [bodyOf('ಕ'.repeat(943))];
    const named = (i: number) => approved(`order_${String(i).padStart(4, '0')}`, large);
    await fixture.connect();
    await fixture.synced();
    await fixture.harness.db.query('DELETE FROM template.templates');
    await fixture.harness.db.query(
      `INSERT INTO template.templates (business_id, name, language, platform_id, status, category, named, components)
       SELECT 1, t->>'name', language, t->>'id', 'APPROVED', 'UTILITY', false, t->'components'
       FROM unnest($1::jsonb[]) AS t, unnest('{en,hi}'::text[]) AS language`,
      [Array.from({ length: 3_000 }, (_, i) => JSON.stringify(named(i)))],
    );
    const read = async (operation: typeof ListTemplates | typeof ListApprovedTemplates, between = async () => undefined as unknown) => {
      const names: string[] = [];
      let cursor: string | null = null;
      do {
        const page: ResponseOf<typeof ListApprovedTemplates> = await fixture.harness.rpc.call(operation, {
          business_id: 1,
          limit: 100,
          cursor,
        });
        expect(page.templates.length).toBeLessThanOrEqual(100);
        names.push(...page.templates.map(({ name, language }) => `${name} ${language}`));
        cursor = page.next_cursor ?? null;
        await between();
      } while (cursor !== null);
      return names;
    };
    const all = await read(ListApprovedTemplates);
    expect(all).toEqual(Array.from({ length: 6_000 }, (_, i) => `order_${String(i >> 1).padStart(4, '0')} ${i % 2 ? 'hi' : 'en'}`));
    expect(await read(ListTemplates)).toEqual(all);
    // Unchanged templates are listed once, while others are added and deleted.
    let n = 0;
    const changing = await read(ListApprovedTemplates, async () => {
      await fixture.harness.db.query(`DELETE FROM template.templates WHERE name = 'order_0000'`);
      await fixture.harness.db.query(
        `INSERT INTO template.templates (business_id, name, language, platform_id, status, category, named, components)
         VALUES (1, $1, 'en', '1', 'APPROVED', 'UTILITY', false, '[]')`,
        [`a_${(n += 1)}`],
      );
    });
    expect(changing).toEqual(all);
    expect((await codeOf(fixture.harness.rpc.call(ListTemplates, { business_id: 1, limit: 1, cursor: 'x' }))).toString()).toBe(
      'VALIDATION_FAILED',
    );
  });

  it('guarantees §10, N2: compares an unknown name with a thousand names of a business, however many it has', async () => {
    await fixture.harness.db.query(
      `INSERT INTO template.templates (business_id, name, language, platform_id, status, category, named, components)
       SELECT 1, 'order_' || lpad(n::text, 5, '0'), language, '1', 'APPROVED', 'UTILITY', false, '[]'
       FROM generate_series(1, 3000) AS n, unnest('{en,hi}'::text[]) AS language`,
    );
    const [other, like] = await new TemplatesStore(fixture.harness.db).findNamesLike([
      { business_id: 2, name: 'order_0000x' },
      { business_id: 1, name: 'order_0000x' },
    ]);
    expect([other?.length, like?.length, new Set(like).size]).toEqual([0, 1_000, 1_000]);
    const names = [{ business_id: 1, name: 'order_0000x', language: 'en' }];
    expect((await fixture.harness.rpc.call(FindTemplates, { names })).found).toMatchObject([{ template: null, similar: 'order_00001' }]);
  });

  it('guarantees §10, N2: an update of a status reads its own template only, however many the business has', async () => {
    const { db } = fixture.harness;
    await db.query(
      `INSERT INTO template.templates (business_id, name, language, platform_id, status, category, named, components)
       SELECT 1, 'order_' || n, 'en', '1', 'APPROVED', 'UTILITY', false, '[]' FROM generate_series(1, 3000) AS n`,
    );
    const [templates, syncs] = [new TemplatesStore(db), new SyncsStore(db)];
    const wanted = { isWanted: () => Promise.resolve(true) } as unknown as WantedEvents;
    const events = new TemplateStatusEvents(templates, syncs, wanted, {} as never);
    const updates = new TemplateUpdates(templates, events, syncs, {} as never, {} as never);
    const raw = { event: 'PAUSED', message_template_name: 'order_2000', message_template_language: 'en' };
    const data = { business_account_id: '801', field: 'message_template_status_update', raw };
    const update = newEvent(PlatformTemplateUpdate, { id: 't1', at: new Date().toISOString(), business_id: 1, key: 't', data });
    const rows = await rowsRead(db, (reading) => updates.apply([update], reading));
    expect(rows['templates']).toBeLessThan(10);
    expect(await db.query('SELECT body FROM template.outbox')).toMatchObject([{ body: expect.stringContaining('order_2000') as string }]);
  });

  it('decision 366: reports each change of a status once, from updates and from syncs', async () => {
    fixture.wanted.events = ['template.status'];
    const { harness, platform } = fixture;
    const reported = async () =>
      (await harness.published('template.status'))
        .map(({ data }) => data as DataOf<typeof TemplateStatusChanged>)
        .map(({ template_name, previous_status, status, reason, quality }) => [template_name, previous_status, status, reason, quality]);
    const becomes = (expected: unknown[]) => eventually(async () => JSON.stringify(await reported()) === JSON.stringify(expected));
    const update = (id: string, event: string) => {
      const raw = {
        event,
        message_template_name: 'order',
        message_template_language: 'en',
        reason: event === 'PAUSED' ? 'LOW_QUALITY' : 'NONE',
      };
      const data = { business_account_id: '801', field: 'message_template_status_update', raw };
      return harness.publish(newEvent(PlatformTemplateUpdate, { id, at: new Date().toISOString(), business_id: 1, key: 't', data }));
    };
    const sync = async (templates: { name: string }[]) => {
      platform.templates = templates;
      const { sync: before } = await fixture.synced();
      await harness.rpc.call(SyncTemplates, { business_id: 1 });
      await eventually(async () => {
        const { sync: now } = await harness.rpc.call(ListTemplates, { business_id: 1 });
        return now.state === 'done' && now.finished_at !== before.finished_at;
      });
    };
    const order = approved('order', [bodyOf('Hello')], { quality_score: { score: 'GREEN' } });
    const first = approved('first', [bodyOf('Hi')]);
    platform.templates = [first];
    await fixture.connect();
    await fixture.synced();
    await sync([]);
    await sync([order]);
    await update('t1', 'PAUSED');
    await update('t2', 'PAUSED');
    const paused = ['order', 'APPROVED', 'PAUSED', 'LOW_QUALITY', 'GREEN'];
    const before = [['first', 'APPROVED', 'DELETED', null, null], ['order', null, 'APPROVED', null, 'GREEN'], paused];
    await becomes(before);
    const offer = approved('offer', [bodyOf('New')], { status: 'REJECTED', rejected_reason: 'ABUSIVE_CONTENT' });
    await sync([order, offer]);
    await sync([order, offer]);
    await sync([order]);
    await becomes([
      ...before,
      ['order', 'PAUSED', 'APPROVED', null, 'GREEN'],
      ['offer', null, 'REJECTED', 'ABUSIVE_CONTENT', null],
      ['offer', 'REJECTED', 'DELETED', null, null],
    ]);
  });

  it('platform §4.6: syncs after a template update of the platform', async () => {
    await fixture.connect();
    await fixture.synced();
    fixture.platform.templates = [approved('new_one', [bodyOf('Hi')])];
    const data = { business_account_id: '801', field: 'message_template_status_update', raw: {} };
    await fixture.harness.publish(
      newEvent(PlatformTemplateUpdate, { id: 't1', at: new Date().toISOString(), business_id: 1, key: 't', data }),
    );
    const names = [{ business_id: 1, name: 'new_one', language: 'en' }];
    await eventually(async () => (await fixture.harness.rpc.call(FindTemplates, { names })).found[0]?.template);
  });

  it('platform §3.1: shows a requested sync as running before it begins', async () => {
    await fixture.connect();
    await fixture.synced();
    fixture.platform.heldPath = 'message_templates';
    // The service looks for requests of other replicas every two seconds.
    await fixture.harness.db.query('UPDATE template.syncs SET requested_at = now()');
    expect((await fixture.harness.rpc.call(ListTemplates, { business_id: 1 })).sync.state).toBe('running');
    await fixture.held();
    await fixture.sendHeld();
    await fixture.synced();
  });

  it('platform §1: makes at most 100 calls an hour, shows when a requested sync starts, and starts it then', async () => {
    fixture.platform.templates = Array.from({ length: 200 }, (_, i) => approved(`order_${i}`, [bodyOf('Hi')]));
    await fixture.connect();
    expect((await fixture.synced()).sync.found).toBe(200);
    const calls = () => fixture.graph.requests.filter(({ path }) => path.includes('message_templates')).length;
    expect(calls()).toBe(100);
    await fixture.harness.rpc.call(SyncTemplates, { business_id: 1 });
    expect((await fixture.synced('failed')).sync.problem).toMatch(
      /^The hourly limit of template syncs is reached\. .* starts at \d\d:\d\d UTC\.$/,
    );
    // Another business has its own limit. When its sync has finished, the services have looked for due syncs again.
    fixture.platform.templates = fixture.platform.templates.slice(0, 1);
    await fixture.connect(2);
    await eventually(async () => (await fixture.harness.rpc.call(ListTemplates, { business_id: 2 })).sync.state === 'done');
    expect(calls()).toBe(101);
    await fixture.harness.db.query(`UPDATE template.syncs SET hour_started_at = now() - interval '61 minutes' WHERE business_id = 1`);
    await eventually(() => calls() === 102);
    expect((await fixture.synced()).sync).toMatchObject({ found: 1, problem: null });
  });
});
