import {
  FindUnanswered,
  GatewayError,
  GetMessageStatuses,
  GetThread,
  ListConversations,
  MarkConversationRead,
  SendReaction,
  SendText,
  type ConversationRecord,
} from '@mgw/contracts';
import { eventually } from '@mgw/testing';
import { startDashboard, type Dashboard } from '../../test/dashboard.fixture';

const conversation = (id: number, direction: 'in' | 'out'): ConversationRecord => ({
  id,
  customer_phone: '12015550100',
  customer_name: '',
  session_window: { open: true, last_inbound_at: null, closes_at: null },
  suppression_state: null,
  last_message: { direction, type: 'text', text: 'Hello', at: new Date().toISOString() },
  created_at: new Date().toISOString(),
});

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
    dashboard.neighbours.respond(GetThread, () => ({
      conversation: conversation(1, 'in'),
      messages: [
        { ...message, message_id: 'a', direction: 'out' as const, sent_by: 'agent', user_id: user.id },
        { ...message, message_id: 'b', direction: 'out' as const, sent_by: 'agent', user_id: 1_000_000 },
        { ...message, message_id: 'c', direction: 'out' as const, sent_by: 'api', api_key_id: keyId },
        { ...message, message_id: 'd', direction: 'in' as const, sent_by: null },
      ],
      next_cursor: null,
    }));
    const { body } = await owner.get('/api/client/conversations/1/messages').expect(200);
    const { messages } = body as { messages: Record<string, unknown>[] };
    expect(messages.map(({ author, api_key }) => [author, api_key])).toEqual([
      [{ id: user.id, name: user.name }, null],
      [{ id: 1_000_000, name: '' }, null],
      [null, { id: keyId, name: 'Shop' }],
      [null, null],
    ]);
    const sent: unknown[] = [];
    const accept = ({ sender, ...content }: { sender: { user_id?: number } }) => {
      sent.push({ ...content, by: sender.user_id });
      return { message_id: 'wamid.1', phone: '12015550100', replayed: false };
    };
    dashboard.neighbours.respond(SendText, accept);
    dashboard.neighbours.respond(SendReaction, accept);
    await owner.post('/api/client/conversations/1/messages').send({ text: 'Yes', reply_to: 'd' }).expect(200);
    await owner.post('/api/client/conversations/1/reactions').send({ message_id: 'd', emoji: null }).expect(200);
    await owner.post('/api/client/conversations/1/reactions').send({ message_id: 'd', emoji: 'no' }).expect(400);
    expect(sent).toEqual([
      { to: '12015550100', text: 'Yes', reply_to: 'd', by: user.id },
      { to: '12015550100', message_id: 'd', emoji: null, by: user.id },
    ]);
  });
});
