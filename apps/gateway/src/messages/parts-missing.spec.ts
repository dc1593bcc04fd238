import {
  FindDeliveries,
  GatewayError,
  GetMessageStatuses,
  GetThread,
  GetTimeline,
  type LoggedMessage,
  type ThreadMessage,
} from '@mgw/contracts';
import { sampleConversation } from '@mgw/harness';
import { startDashboard, type Dashboard, type Session } from '../../test/dashboard.fixture';

const AT = '2026-01-02T03:04:05.000Z';
const MESSAGE: LoggedMessage = {
  message_id: 'wamid.A',
  to: '12015550100',
  type: 'text',
  template: null,
  text: 'Hi',
  sent_by: 'api',
  api_key_id: 1,
  api_status: 'success',
  delivery_status: 'sent',
  failure_reason: null,
  sent_at: AT,
};
const TIMELINE = [{ status: 'accepted', at: AT, reason: null }];
const CONVERSATION = sampleConversation();
const threadMessage = (message_id: string, direction: 'in' | 'out'): ThreadMessage => ({
  message_id,
  direction,
  type: 'text',
  text: 'Hi',
  media: null,
  sent_by: null,
  template: null,
  at: AT,
});

/** Without a service only its part of a response is missing. */
describe('responses composed from two services (spec §10)', () => {
  let dashboard: Dashboard;
  let owner: Session;
  /** Failures of the second service. */
  let failure: () => Promise<never>;

  beforeAll(async () => {
    dashboard = await startDashboard();
    owner = await dashboard.session('owner', await dashboard.business());
    dashboard.neighbours.respond(GetTimeline, () => ({ message: MESSAGE, timeline: TIMELINE }));
    dashboard.neighbours.respond(FindDeliveries, () => failure());
    dashboard.neighbours.respond(GetThread, () => ({
      conversation: CONVERSATION,
      messages: [threadMessage('wamid.B', 'out'), threadMessage('wamid.A', 'in')],
      next_cursor: null,
    }));
    dashboard.neighbours.respond(GetMessageStatuses, () => failure());
  });
  afterAll(() => dashboard.close());

  const ways: [string, () => Promise<never>][] = [
    ['does not respond', () => dashboard.neighbours.noResponse()],
    ['is overloaded', () => Promise.reject(new GatewayError('OVERLOADED', 'Try again.'))],
    ['fails', () => Promise.reject(new Error('a defect'))],
  ];

  describe.each(ways)('a service that %s', (_, way) => {
    beforeEach(() => {
      failure = way;
    });

    it('spec §10: shows a message with its timeline, and null for its webhooks', async () => {
      const { body } = await owner.get('/api/client/messages/wamid.A').expect(200);
      expect(body).toEqual({ message: MESSAGE, timeline: TIMELINE, webhooks: null });
    });

    it('spec §10: shows a conversation with its messages, and null for their statuses', async () => {
      const { body } = await owner.get('/api/client/conversations/1/messages').expect(200);
      const unknown = { delivery_status: null, failure_reason: null, author: null, api_key: null };
      expect((body as { messages: object[] }).messages).toEqual([
        { ...threadMessage('wamid.B', 'out'), ...unknown },
        { ...threadMessage('wamid.A', 'in'), ...unknown },
      ]);
    });
  });

  it('spec §10: shows messages that the status service does not have yet as sent', async () => {
    dashboard.neighbours.respond(GetMessageStatuses, () => ({ statuses: [] }));
    const { body } = await owner.get('/api/client/conversations/1/messages').expect(200);
    expect((body as { messages: object[] }).messages).toMatchObject([{ delivery_status: 'sent' }, { delivery_status: null }]);
  });
});
