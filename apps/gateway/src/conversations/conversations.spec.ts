import {
  AddNote,
  FindUnanswered,
  GatewayError,
  GetAutoReply,
  GetMessageStatuses,
  GetThread,
  ListConversations,
  MarkConversationRead,
  MAX_INBOX_LIST,
  SendMedia,
  SendReaction,
  SendTemplate,
  SendText,
  UnassignConversations,
  UpdateConversation,
} from '@mgw/contracts';
import { NO_COUNTS, sampleConversation } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { startDashboard, type Dashboard } from '../../test/dashboard.fixture';

const conversation = (id: number, direction: 'in' | 'out') =>
  sampleConversation({ id, last_message: { direction, type: 'text', text: 'Hello', at: new Date().toISOString() } });

describe('the inbox (spec §10)', () => {
  let dashboard: Dashboard;
  beforeAll(async () => (dashboard = await startDashboard()));
  afterAll(() => dashboard.close());

  it('marks conversations without an automatic reply, until a person replies', async () => {
    const owner = await dashboard.session('owner', await dashboard.business());
    const needing = async () => {
      const { body } = await owner.get('/api/client/conversations').expect(200);
      return (body as { conversations: { needs_agent: boolean | null }[] }).conversations.map(({ needs_agent }) => needs_agent);
    };
    dashboard.neighbours.respond(ListConversations, () => ({
      conversations: [conversation(1, 'in'), conversation(2, 'in'), conversation(3, 'out')],
      counts: NO_COUNTS,
      waiting_since: null,
      next_cursor: null,
    }));
    expect(await needing()).toEqual([null, null, null]);
    const requested: number[][] = [];
    dashboard.neighbours.respond(FindUnanswered, ({ conversation_ids }) => {
      requested.push(conversation_ids);
      return { unanswered: [{ conversation_id: 1, reason: 'the model responded with 503' }] };
    });
    expect(await needing()).toEqual([true, false, false]);
    expect(requested).toEqual([[1, 2]]);
  });

  it('decision 768: shows an agent whether the business uses automatic replies, and none of their settings', async () => {
    const agent = await dashboard.session('agent', await dashboard.business());
    dashboard.neighbours.respond(GetAutoReply, () => ({
      ...{ enabled: true, instructions: 'The code of the door is 7.', model: 'm', base_url: null, has_api_key: true, show_typing: false },
      ...{ daily_limit: 9, daily_cost_limit: null, counted_today: '0', quiet_when_agent_active_minutes: 5 },
    }));
    await agent.get('/api/client/auto-reply').expect(403);
    expect((await agent.get('/api/client/auto-reply/enabled').expect(200)).body).toEqual({ enabled: true });
  });

  it('looks for the automatic reply to the last message in the conversation where it came', async () => {
    const owner = await dashboard.session('owner', await dashboard.business());
    const last_message = { direction: 'in' as const, type: 'text', text: 'Hello', at: new Date().toISOString(), conversation_id: 9 };
    dashboard.neighbours.respond(ListConversations, () => ({
      conversations: [sampleConversation({ id: 4, last_message })],
      counts: NO_COUNTS,
      waiting_since: null,
      next_cursor: null,
    }));
    dashboard.neighbours.respond(FindUnanswered, ({ conversation_ids }) => ({
      unanswered: conversation_ids.filter((id) => id === 9).map((conversation_id) => ({ conversation_id, reason: 'x' })),
    }));
    const { body } = await owner.get('/api/client/conversations').expect(200);
    expect(body).toMatchObject({ conversations: [{ id: 4, needs_agent: true }] });
    expect(JSON.stringify(body)).not.toContain('conversation_id');
  });

  it('decision 331: a conversation counts as read when a person opens it, not when an idle page refreshes it', async () => {
    const owner = await dashboard.session('owner', await dashboard.business());
    const opened: number[] = [];
    dashboard.neighbours.respond(GetThread, ({ conversation_id }) => ({
      conversation: conversation(conversation_id, 'in'),
      messages: [],
      next_cursor: null,
    }));
    dashboard.neighbours.respond(MarkConversationRead, ({ conversation_id }) => {
      opened.push(conversation_id);
      throw new GatewayError('PLATFORM_UNAVAILABLE', 'Not now.');
    });
    await owner.get('/api/client/conversations/1/messages').set('x-unattended', '1').expect(200);
    await owner.get('/api/client/conversations/2/messages').expect(200);
    await eventually(() => opened.length > 0);
    expect(opened).toEqual([2]);
  });

  it('decision 735: unassigns what the removal of a person left assigned, once somebody sees it', async () => {
    const business_id = await dashboard.business();
    const owner = await dashboard.session('owner', business_id);
    const agent = await dashboard.session('agent', business_id);
    dashboard.neighbours.respond(ListConversations, () => ({
      conversations: [owner.id, agent.id, agent.id, null].map((id) => sampleConversation({ assigned_to: id })),
      counts: NO_COUNTS,
      waiting_since: null,
      next_cursor: null,
    }));
    // No test sets a response yet, so the send service fails.
    await owner.delete(`/api/client/team/${agent.id}`).expect(200);
    await owner.get('/api/client/conversations').expect(200);
    const unassigned = new Set<number>();
    dashboard.neighbours.respond(UnassignConversations, ({ business_id: of, user_id }) => {
      if (of === business_id) unassigned.add(user_id);
      return {};
    });
    await eventually(async () => {
      await owner.get('/api/client/conversations').expect(200);
      return unassigned.size > 0;
    });
    expect([...unassigned]).toEqual([agent.id]);
  });

  it('decision 390: names who wrote each message, and sends quotes and reactions in the name of the agent', async () => {
    const business = await dashboard.business();
    const owner = await dashboard.session('owner', business);
    const { body: me } = await owner.get('/api/client/me').expect(200);
    const { user } = me as { user: { id: number; name: string } };
    const { body: key } = await owner
      .post('/api/client/api-keys')
      .send({ name: 'Shop', permissions: ['*'] })
      .expect(200);
    const { id: keyId } = key as { id: number };
    const message = { type: 'text', text: 'Hi', media: null, template: null, at: new Date().toISOString() };
    dashboard.neighbours.respond(GetMessageStatuses, () => ({ statuses: [] }));
    const { last_message, ...record } = conversation(1, 'out');
    dashboard.neighbours.respond(GetThread, () => ({
      conversation: { ...record, last_message: last_message && { ...last_message, sent_by: 'agent', user_id: user.id } },
      messages: [
        { ...message, message_id: 'a', direction: 'out' as const, sent_by: 'agent', user_id: user.id },
        { ...message, message_id: 'b', direction: 'out' as const, sent_by: 'agent', user_id: 1_000_000 },
        { ...message, message_id: 'c', direction: 'out' as const, sent_by: 'api', api_key_id: keyId },
        { ...message, message_id: 'd', direction: 'in' as const, sent_by: null },
      ],
      newest_notes: [user.id, 1_000_000].map((user_id) => ({ message_id: `note:${user_id}`, text: 'Gift wrap', user_id, at: message.at })),
      next_cursor: null,
    }));
    const { body } = await owner.get('/api/client/conversations/1/messages').expect(200);
    const {
      messages,
      newest_notes,
      conversation: shown,
    } = body as { messages: Record<string, unknown>[]; newest_notes: object[]; conversation: { last_message: object } };
    const author = { id: user.id, name: user.name };
    const at = expect.any(String) as string;
    expect(shown.last_message).toEqual({ direction: 'out', type: 'text', text: 'Hello', at, sent_by: 'agent', author });
    expect(messages.map(({ author, api_key }) => [author, api_key])).toEqual([
      [{ id: user.id, name: user.name }, null],
      [{ id: 1_000_000, name: '' }, null],
      [null, { id: keyId, name: 'Shop' }],
      [null, null],
    ]);
    expect(newest_notes).toEqual(
      [author, { id: 1_000_000, name: '' }].map((one) => ({ message_id: `note:${one.id}`, text: 'Gift wrap', at, author: one })),
    );
    const sent: unknown[] = [];
    const accept = ({ sender, ...content }: { sender: { user_id?: number } }) => {
      sent.push({ ...content, by: sender.user_id });
      return { message_id: 'wamid.1', phone: '12015550100', replayed: false };
    };
    dashboard.neighbours.respond(SendText, accept);
    dashboard.neighbours.respond(SendMedia, accept);
    dashboard.neighbours.respond(SendReaction, accept);
    await owner.post('/api/client/conversations/1/messages').send({ text: 'Yes', reply_to: 'd' }).expect(200);
    await owner.post('/api/client/conversations/1/reactions').send({ message_id: 'd', emoji: null }).expect(200);
    const file = { media_type: 'document', media_id: '7', filename: 'PO.pdf', caption: 'Your order', reply_to: 'd' };
    await owner.post('/api/client/conversations/1/files', file).expect(200);
    await owner.post('/api/client/conversations/1/files', { ...file, media_type: 'image', caption: null, reply_to: null }).expect(200);
    for (const wrong of [{ media_type: 'sticker' }, { media_id: '../7' }, { media_id: null }, { media_type: 'audio' }, { filename: 7 }]) {
      const { body: refusal } = await owner.post('/api/client/conversations/1/files', { ...file, ...wrong }).expect(400);
      const [field] = 'media_type' in wrong && wrong.media_type === 'audio' ? ['caption'] : Object.keys(wrong);
      expect(refusal).toMatchObject({ details: [{ field }] });
    }
    await owner.post('/api/client/conversations/1/reactions').send({ message_id: 'd', emoji: 'no' }).expect(400);
    expect(sent).toEqual([
      { to: '12015550100', text: 'Yes', reply_to: 'd', by: user.id },
      { to: '12015550100', message_id: 'd', emoji: null, by: user.id },
      { to: '12015550100', ...file, by: user.id },
      { to: '12015550100', media_type: 'image', media_id: '7', filename: null, caption: null, by: user.id },
    ]);
  });

  it('decision 392: assigns to people of the team only, and passes views and changes on', async () => {
    const business = await dashboard.business();
    const owner = await dashboard.session('owner', business);
    const stranger = await dashboard.session('owner', await dashboard.business());
    const idOf = async (session: typeof owner) => ((await session.get('/api/client/me')).body as { user: { id: number } }).user.id;
    const me = await idOf(owner);
    const lists: object[] = [];
    dashboard.neighbours.respond(ListConversations, ({ business_id: _, ...request }) => {
      lists.push(request);
      return { conversations: [sampleConversation({ assigned_to: me })], counts: NO_COUNTS, waiting_since: null, next_cursor: null };
    });
    const { body } = await owner.get('/api/client/conversations?view=mine&unread=1&label=VIP&q=blue&limit=7').expect(200);
    expect(body).toMatchObject({ conversations: [{ assigned_to: { id: me, name: expect.any(String) as string } }] });
    expect(lists).toEqual([{ view: 'mine', unread: true, label: 'VIP', search: 'blue', limit: 7, cursor: null, user_id: me }]);
    await owner.get('/api/client/conversations?view=theirs').expect(400);
    const changes: object[] = [];
    dashboard.neighbours.respond(UpdateConversation, ({ business_id: _, ...change }) => {
      changes.push(change);
      return { conversation: sampleConversation({ assigned_to: change.assigned_to ?? null }) };
    });
    const change = (body: object) => owner.patch('/api/client/conversations/1', body);
    await change({ assigned_to: await idOf(stranger) }).expect(400);
    for (const assigned_to of [1e19, 1e300]) await change({ assigned_to }).expect(400);
    await change({ read: false }).expect(400);
    for (const names of ['labels', 'labels_before']) await change({ [names]: ['x'.repeat(41)] }).expect(400);
    await change({ assigned_to: me, read: true }).expect(200);
    await change({ assigned_to: null, status: 'closed', labels: ['VIP'], auto_reply: false }).expect(200);
    for (const since of ['yesterday', '2026-11-23', 1]) await change({ status: 'closed', nothing_received_since: since }).expect(400);
    await change({ status: 'closed', nothing_received_since: '2026-11-23T10:00:00.5+01:00' }).expect(200);
    await change({ read: true, nothing_received_since: null }).expect(200);
    await change({ labels: ['VIP', 'Late'], labels_before: ['VIP'] }).expect(200);
    // A merge may leave as many labels as a business has.
    const many = Array.from({ length: MAX_INBOX_LIST }, (_, n) => `Label ${n}`);
    await change({ labels: many.slice(1), labels_before: many }).expect(200);
    await change({ labels: [...many, 'New'] }).expect(400);
    expect(changes).toEqual([
      { conversation_id: 1, assigned_to: me, read: true },
      { conversation_id: 1, assigned_to: null, status: 'closed', labels: ['VIP'], auto_reply: false },
      { conversation_id: 1, status: 'closed', nothing_received_since: '2026-11-23T09:00:00.500Z' },
      { conversation_id: 1, read: true },
      { conversation_id: 1, labels: ['VIP', 'Late'], labels_before: ['VIP'] },
      { conversation_id: 1, labels: many.slice(1), labels_before: many },
    ]);
  });

  it('decision 776: a note passes its Idempotency-Key on, and the audit log has it once', async () => {
    const business = await dashboard.business();
    const owner = await dashboard.session('owner', business);
    const keys: unknown[] = [];
    dashboard.neighbours.respond(AddNote, ({ idempotency }) => {
      keys.push(idempotency);
      return { id: 7, ...(keys.length > 1 && { replayed: true }) };
    });
    const add = () =>
      owner.post('/api/client/conversations/1/notes').set('idempotency-key', 'note-1').send({ text: 'Call him' }).expect(200);
    expect((await add()).headers).not.toHaveProperty('idempotency-replayed');
    expect((await add()).headers).toHaveProperty('idempotency-replayed', 'true');
    expect(keys).toEqual([{ key: 'note-1', fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) as string }, keys[0]]);
    const { body } = await owner.get('/api/client/audit?action=note.added').expect(200);
    expect((body as { entries: object[] }).entries).toHaveLength(1);
    await owner.post('/api/client/conversations/1/notes').set('idempotency-key', 'no token').send({ text: 'x' }).expect(400);
  });

  it('decision 394: sends a template at once, in a conversation or to any person', async () => {
    const owner = await dashboard.session('owner', await dashboard.business());
    const sent: object[] = [];
    dashboard.neighbours.respond(GetThread, () => ({ conversation: sampleConversation(), messages: [], next_cursor: null }));
    const accept = ({ sender, ...content }: { sender: { sent_by: string } }) => {
      sent.push({ ...content, by: sender.sent_by });
      return { message_id: 'wamid.1', phone: '12015550100', replayed: false };
    };
    dashboard.neighbours.respond(SendTemplate, accept);
    dashboard.neighbours.respond(SendText, accept);
    const template = { template_name: 'offer', body_params: [1], button_params: ['x'] };
    await owner.post('/api/client/conversations/1/templates').send(template).expect(200);
    await owner
      .post('/api/client/messages')
      .send({ ...template, phone: '+1 201 555 0101', language: 'de' })
      .expect(200);
    await owner.post('/api/client/messages').send({ phone: '+1 201 555 0102', text: 'Hi' }).expect(200);
    const values = { template_name: 'offer', body_params: ['1'], header_params: [], button_params: ['x'], by: 'agent' };
    expect(sent).toEqual([
      { ...values, to: '12015550100', language: 'en' },
      { ...values, to: '12015550101', language: 'de' },
      { to: '12015550102', text: 'Hi', by: 'agent' },
    ]);
    const refused = [{}, { ...template, text: 'Hi' }, { text: 'Hi', body_params: ['1'] }, { text: 'Hi', language: 'de' }];
    const fields: string[] = [];
    for (const content of refused) {
      const { body } = await owner
        .post('/api/client/messages')
        .send({ phone: '+1 201 555 0102', ...content })
        .expect(400);
      fields.push((body as { details: { field: string }[] }).details[0]?.field ?? '');
    }
    expect(fields).toEqual(['template_name', 'text', 'body_params', 'language']);
    await owner.post('/api/client/messages').send({ phone: '+1 201 555 0102', text: 'Hi', body_params: null }).expect(200);
  });
});
