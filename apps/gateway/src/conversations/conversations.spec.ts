import { FindUnanswered, GetThread, ListConversations, MarkConversationRead, GatewayError, type ConversationRecord } from '@mgw/contracts';
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

describe('the list of conversations (spec §10)', () => {
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
});
