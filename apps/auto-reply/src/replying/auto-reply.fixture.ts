import type { ServerResponse } from 'node:http';
import {
  BusinessChanged,
  EstimateCost,
  FindAccess,
  GatewayError,
  GetThread,
  ListAutoReplies,
  MarkRead,
  MessageReceived,
  SendText,
  SetAutoReply,
  type ConversationRecord,
  type ErrorCode,
  type ResponseOf,
  type RequestOf,
  type ThreadMessage,
} from '@mgw/contracts';
import { newEvent } from '@mgw/events';
import { sampleConversation, startHarness, type Harness } from '@mgw/harness';
import { eventually, startReceiver } from '@mgw/testing';
import { service } from '../main';

const BUSINESS = 1;

type Reply = ResponseOf<typeof ListAutoReplies>['replies'][number];
type Sent = ResponseOf<typeof SendText>;
/** Responds to a send or throws. @param accept what the send service does by default */
type SendResponder = (accept: () => Sent) => Sent;

/** Makes new questions due at once. */
const NO_WAIT = `
  CREATE FUNCTION auto_reply.due_at_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.due_at := now(); RETURN NEW; END $$;
  CREATE TRIGGER due_at_once BEFORE INSERT ON auto_reply.replies FOR EACH ROW EXECUTE FUNCTION auto_reply.due_at_once()`;

/** A language model that replies when the test releases it. */
interface HeldModel {
  /** The newest message of each call. */
  calls: string[];
  /** Replies to all held calls, and from now on at once. */
  release(): void;
  /** From now on replies at once to matching questions. */
  holdUnless(matches: (question: string) => boolean): void;
  /** Replies to the oldest held call with this question. */
  reply(question: string): void;
  /** Responds with this status (401 by default) to the oldest held call with this question. */
  fail(question: string, status?: number): void;
}

export interface AutoReplies {
  harness: Harness;
  model: HeldModel;
  /** Every request to the send service, including repeated ones. */
  sends: RequestOf<typeof SendText>[];
  /** The rate of every reply. */
  rate: { price: string | null };
  /** Every request to mark a message as read. */
  receipts: RequestOf<typeof MarkRead>[];
  /** Responders for the next sends, in order; all others are accepted. */
  respondToSends(...responders: SendResponder[]): void;
  /** Fails the next reads of a thread. */
  failReads(...codes: ErrorCode[]): void;
  /** Runs a replica in this process. */
  run(env?: Record<string, string>): ReturnType<Harness['run']>;
  /** Runs a replica that can be killed. */
  spawn(): ReturnType<Harness['spawn']>;
  /** Moves the business to another time zone. */
  moveTo(timezone: string): void;
  set(settings: Partial<RequestOf<typeof SetAutoReply>>): Promise<void>;
  /** Publishes a message of customer n in conversation n. With `media` the text is its caption. */
  receive(customer: number, text: string, shown?: Pick<Partial<ThreadMessage>, 'media' | 'interactive' | 'at'>): Promise<void>;
  /** Adds a message of customer n to the thread. @returns a function that publishes its event */
  write(customer: number, text: string, shown?: Pick<Partial<ThreadMessage>, 'media' | 'interactive' | 'at'>): () => Promise<void>;
  replyAsAgent(customer: number): void;
  change(customer: number, conversation: Partial<ConversationRecord>): void;
  /** From now on questions wait for further messages. */
  waitForMore(): Promise<void>;
  /** Makes all questions older. */
  advanceTime(seconds: number): Promise<void>;
  /** Inserts questions of a business, each from another customer. */
  insertQuestions(business_id: number, count: number): Promise<void>;
  /** Expires the claims of dead workers. */
  expireClaims(): Promise<void>;
  /** Ends the pauses before the next attempts. */
  endPauses(): Promise<void>;
  /** Lists replies, the newest first. */
  replies(): Promise<Reply[]>;
  /** The state of each question. */
  states(): Promise<Record<string, string>>;
  /** Resolves when the model was called with a question. */
  isModelCalled(question: string): Promise<unknown>;
  /** Resolves with the reply to a question that is no longer pending. */
  ended(question: string): Promise<Reply>;
  /** Like `ended`, without the pauses before the next attempts. */
  endedAfterPauses(question: string): Promise<Reply>;
}

/** Starts a database, a broker, a model and a send service that honours Idempotency-Keys. */
export async function startAutoReplies(): Promise<AutoReplies> {
  const harness = await startHarness(service);
  const receiver = await startReceiver();
  harness.onClose(() => receiver.close());
  await harness.db.query(NO_WAIT);
  Object.assign(harness.env, { WEBHOOK_ALLOWED_TARGETS: '127.0.0.0/8', AUTO_REPLY_BASE_URL: receiver.url });

  const calls: string[] = [];
  const held: { question: string; response: ServerResponse }[] = [];
  let isReleased: (question: string) => boolean = () => false;
  const reply = (question: string, response: ServerResponse) => {
    // A question about ␀ produces characters that no text may hold.
    const content = `About: ${question.replace('␀', '\0\ud83d')}`;
    response.end(JSON.stringify({ choices: [{ message: { content } }] }));
  };
  const oldest = (question: string): ServerResponse => {
    const [call] = held.splice(
      held.findIndex((one) => one.question === question),
      1,
    );
    if (!call) throw new Error(`no held call has the question ${question}`);
    return call.response;
  };
  receiver.respond(({ body }, response) => {
    const { messages } = JSON.parse(body) as { messages: { content: string }[] };
    const question = messages.at(-1)?.content ?? '';
    calls.push(question);
    if (isReleased(question)) reply(question, response);
    else held.push({ question, response });
  });

  const threads = new Map<number, ThreadMessage[]>();
  const changed = new Map<number, Partial<ConversationRecord>>();
  const thread = (customer: number) => threads.get(customer) ?? threads.set(customer, []).get(customer) ?? [];
  let written = 0;
  const add = (customer: number, message: Partial<ThreadMessage> & Pick<ThreadMessage, 'direction' | 'sent_by' | 'text'>) => {
    const stored = {
      media: null,
      at: new Date().toISOString(),
      ...message,
      message_id: `wamid.${++written}`,
      type: 'text',
      template: null,
    };
    thread(customer).unshift(stored);
    return stored;
  };
  const readFailures: ErrorCode[] = [];
  harness.respond(GetThread, ({ conversation_id: id, limit }) => {
    const code = readFailures.shift();
    if (code !== undefined) throw new GatewayError(code, 'Not now.');
    return {
      conversation: sampleConversation({ id, customer_phone: phoneOf(id), ...changed.get(id) }),
      messages: thread(id)
        .toSorted((a, b) => b.at.localeCompare(a.at))
        .slice(0, limit),
      next_cursor: null,
    };
  });

  const rate: AutoReplies['rate'] = { price: '0.1' };
  harness.respond(EstimateCost, ({ markets }) => ({
    currency: 'INR',
    cost: '0',
    markets: markets.map((one) => ({ ...one, price: rate.price, cost: null })),
  }));

  let timezone = 'UTC';
  harness.respond(FindAccess, ({ parties }) => ({ found: parties.map(() => ({ plan: 'Growth', timezone, daily_limit: null })) }));

  const receipts: RequestOf<typeof MarkRead>[] = [];
  harness.respond(MarkRead, (request) => {
    receipts.push(request);
    throw new GatewayError('PLATFORM_UNAVAILABLE', 'Not now.');
  });

  const sends: RequestOf<typeof SendText>[] = [];
  const accepted = new Map<string, Sent>();
  const responders: SendResponder[] = [];
  harness.respond(SendText, (request) => {
    sends.push(request);
    const { sender, to: phone, text } = request;
    const key = sender.idempotency?.key ?? '';
    const accept = () => {
      const earlier = accepted.get(key);
      if (earlier) return { ...earlier, replayed: true };
      const { message_id } = add(Number(phone.slice(-3)), { direction: 'out', sent_by: 'ai', text });
      const sent = { message_id, phone, replayed: false };
      accepted.set(key, sent);
      return sent;
    };
    return (responders.shift() ?? ((go) => go()))(accept);
  });

  const replies = async () => (await harness.rpc.call(ListAutoReplies, { business_id: BUSINESS, limit: 100, cursor: null })).replies;
  const endPauses = async () => {
    // A question in progress has a claim of 60 s.
    await harness.db.query(
      `UPDATE auto_reply.replies SET due_at = now() WHERE state = 'pending' AND due_at < now() + interval '30 seconds'`,
    );
  };
  const write: AutoReplies['write'] = (customer, text, shown = {}) => {
    const { message_id, at } = add(customer, { direction: 'in', sent_by: null, text, ...shown });
    return () =>
      harness.publish(
        newEvent(MessageReceived, {
          id: `message.received:${BUSINESS}:${message_id}`,
          at,
          business_id: BUSINESS,
          key: `conversation:${customer}`,
          data: {
            message_id,
            from: phoneOf(customer),
            from_name: '',
            type: shown.media?.type ?? 'text',
            ...(shown.media ? { caption: text } : { text }),
            conversation_id: customer,
            business_id: BUSINESS,
          },
        }),
      );
  };
  const ended = async (question: string) => (await replies()).find((reply) => reply.question === question && reply.state !== 'pending');
  return {
    harness,
    rate,
    sends,
    receipts,
    replies,
    model: {
      calls,
      release: () => {
        isReleased = () => true;
        for (const { question, response } of held.splice(0)) reply(question, response);
      },
      holdUnless: (matches) => void (isReleased = matches),
      reply: (question) => reply(question, oldest(question)),
      fail: (question, status = 401) => void oldest(question).writeHead(status).end(),
    },
    respondToSends: (...next) => void responders.push(...next),
    failReads: (...codes) => void readFailures.push(...codes),
    run: (env) => harness.run(service, env),
    spawn: () => harness.spawn('auto-reply'),
    moveTo: (zone) => {
      timezone = zone;
      harness.rpc.announce(BusinessChanged, { business_id: BUSINESS });
    },
    set: async (settings) => {
      await harness.rpc.call(SetAutoReply, { business_id: BUSINESS, enabled: true, ...settings });
    },
    receive: (customer, text, shown) => write(customer, text, shown)(),
    write,
    replyAsAgent: (customer) => void add(customer, { direction: 'out', sent_by: 'agent', text: 'A person speaking.' }),
    change: (customer, conversation) => void changed.set(customer, conversation),
    waitForMore: async () => {
      await harness.db.query('DROP TRIGGER due_at_once ON auto_reply.replies');
    },
    advanceTime: async (seconds) => {
      await harness.db.query(
        `UPDATE auto_reply.replies SET received_at = received_at - make_interval(secs => $1), created_at = created_at - make_interval(secs => $1)`,
        [seconds],
      );
    },
    insertQuestions: async (business_id, count) => {
      await harness.db.query(
        `INSERT INTO auto_reply.replies (business_id, inbound_message_id, conversation_id, customer, question, received_at)
         SELECT $1::bigint, $1::bigint || '-' || n, $1::bigint * 1000 + n, '919876543210', 'Hello', now() FROM generate_series(1, $2::integer) AS n`,
        [business_id, count],
      );
    },
    expireClaims: async () => {
      await harness.db.query(`UPDATE auto_reply.replies SET due_at = now() WHERE state = 'pending'`);
    },
    endPauses,
    states: async () => Object.fromEntries((await replies()).map(({ question, state }) => [question, state])),
    isModelCalled: (question) => eventually(() => calls.includes(question)),
    ended: (question) => eventually(() => ended(question)),
    endedAfterPauses: (question) =>
      eventually(async () => {
        await endPauses();
        return ended(question);
      }),
  };
}

function phoneOf(customer: number): string {
  return `919876543${String(customer).padStart(3, '0')}`;
}
