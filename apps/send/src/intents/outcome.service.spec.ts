import { newIntentId } from '@mgw/contracts';
import type { OutboxRelay } from '@mgw/events';
import type { Database } from '@mgw/postgres';
import { createLogger } from '@mgw/telemetry';
import type { ConversationService } from '../conversations/conversation.service';
import type { Person } from '../conversations/person';
import type { IntentRecord } from './intent';
import type { Acceptance } from './outcome-events';
import { OutcomeService } from './outcome.service';
import type { AcceptedRow, OutcomeStore } from './outcome.store';

const DEADLINE = Infinity;

function acceptance(sentBy: IntentRecord['sentBy']): Acceptance {
  const id = newIntentId();
  const intent: IntentRecord = {
    id,
    businessId: 1,
    apiKeyId: null,
    to: '12015550100',
    type: 'template',
    sentBy,
    template: 'offer',
    text: 'Hello.',
    language: 'en',
    requestId: null,
    broadcastId: sentBy === 'broadcast' ? 1 : null,
    traceparent: undefined,
  };
  return {
    intent,
    messageId: `wamid.${id}`,
    waId: null,
    userId: null,
    acceptedAt: new Date().toISOString(),
    conversationId: 1,
    repaired: false,
  };
}

describe('decision 672: recording accepted messages', () => {
  /** How many messages each statement recorded. */
  let statements: number[];
  let opened: Person[];
  let outcomes: OutcomeService;
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    statements = [];
    opened = [];
    const findOrOpenRecipients = async (_: Database, persons: Person[]) => {
      opened.push(...persons);
      return persons.map(() => 7);
    };
    const accept = async (rows: AcceptedRow[]) => {
      statements.push(rows.length);
      return rows.map(({ event }) => event);
    };
    outcomes = new OutcomeService(
      {} as Database,
      { recordReplies: async () => [], findOrOpenRecipients } as unknown as ConversationService,
      { accept } as unknown as OutcomeStore,
      { publishCommitted: () => undefined } as unknown as OutboxRelay,
      createLogger('outcomes', 'silent'),
    );
  });
  afterEach(() => jest.useRealTimers());

  it('the messages of a broadcast share a statement, even if WhatsApp responds to them one by one', async () => {
    const recorded: Promise<boolean>[] = [];
    for (let i = 0; i < 10; i++) {
      recorded.push(outcomes.accepted(acceptance('broadcast'), DEADLINE));
      await turn();
    }
    expect(statements).toEqual([]);
    jest.advanceTimersByTime(25);
    expect(await Promise.all(recorded)).toEqual(Array(10).fill(true));
    expect(statements).toEqual([10]);
  });

  it('a live send does not wait, and takes those of a broadcast along', async () => {
    const recorded = [outcomes.accepted(acceptance('broadcast'), DEADLINE)];
    await turn();
    recorded.push(outcomes.accepted(acceptance('api'), DEADLINE));
    expect(await Promise.all(recorded)).toEqual([true, true]);
    expect(statements).toEqual([2]);
  });

  it('only a recipient under another name costs a transaction for conversations', async () => {
    const names = { waId: '12015550100', userId: null };
    const other = { waId: '12015550199', userId: null };
    await Promise.all([names, other].map((answer) => outcomes.accepted({ ...acceptance('api'), ...answer }, DEADLINE)));
    expect(opened).toEqual([{ businessId: 1, phone: '12015550100', userId: null, waId: '12015550199' }]);
    expect(statements).toEqual([2]);
  });
});
