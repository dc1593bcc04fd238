import type { ServerResponse } from 'node:http';
import {
  GetThread,
  ListAutoReplies,
  MessageReceived,
  SendText,
  SetAutoReply,
  type ConversationRecord,
  type ReplyOf,
  type RequestOf,
  type ThreadMessage,
} from '@mgw/contracts';
import { newEvent } from '@mgw/events';
import { startHarness, type Harness } from '@mgw/harness';
import { startReceiver } from '@mgw/testing';
import { AutoReplyConfig } from '../auto-reply.config';
import { AutoReplyModule } from '../auto-reply.module';
import { migrations } from '../migrations/migrations';

const service = { name: 'auto-reply', module: AutoReplyModule, config: AutoReplyConfig, schema: 'auto_reply' } as never;
const BUSINESS = 1;

type Reply = ReplyOf<typeof ListAutoReplies>['replies'][number];
type Sent = ReplyOf<typeof SendText>;
/** @param accept what the send service does by itself; what is thrown crosses as the answer */
type SendAnswer = (accept: () => Sent) => Sent;

/** A language model that answers when a test lets it. */
export interface HeldModel {
  /** What it was asked, by the text of the newest message. */
  asked: string[];
  /** Answers everything that it was asked, and from now on at once. */
  release(): void;
  /** From now on questions that this is true of are answered at once. */
  holdUnless(answered: (question: string) => boolean): void;
  /** Answers a question with this status, 401 by default; of several in these words the oldest. */
  fail(question: string, status?: number): void;
}

export interface Answering {
  harness: Harness;
  model: HeldModel;
  /** Every request to send that was made, also repeated ones. */
  sends: RequestOf<typeof SendText>[];
  /** How the next requests to send are answered, one after the other; all others are accepted. */
  answerSends(...answers: SendAnswer[]): void;
  /** Runs a replica in this process. */
  run(env?: Record<string, string>): ReturnType<Harness['run']>;
  /** Runs a replica that can be killed. */
  spawn(): ReturnType<Harness['spawn']>;
  set(settings: Partial<RequestOf<typeof SetAutoReply>>): Promise<void>;
  /** The customer of this number, who has the conversation of this number, writes. */
  writes(customer: number, text: string): Promise<void>;
  agentReplies(customer: number): void;
  suppress(customer: number, state: ConversationRecord['suppression_state']): void;
  /** Questions grow older. */
  pass(seconds: number): Promise<void>;
  /** Questions of a business, each of another customer; their text is the business's instructions. */
  asks(business_id: number, count: number): Promise<void>;
  /** As if the lease of what a dead worker held were over. */
  leasesEnd(): Promise<void>;
  /** As if the pauses before the next tries were over. */
  pausesEnd(): Promise<void>;
  /** The newest first. */
  replies(): Promise<Reply[]>;
  /** What became of each question. */
  ends(): Promise<Record<string, string>>;
}

/** The service on its own database and broker, beside a model and a send service that remembers Idempotency-Keys as the real one does. */
export async function startAnswering(): Promise<Answering> {
  const harness = await startHarness({ schema: 'auto_reply', migrations });
  const receiver = await startReceiver();
  harness.onClose(() => receiver.close());
  Object.assign(harness.env, { WEBHOOK_ALLOWED_TARGETS: '127.0.0.0/8', AUTO_REPLY_BASE_URL: receiver.url });

  const asked: string[] = [];
  const held: { question: string; response: ServerResponse }[] = [];
  let isAnswered: (question: string) => boolean = () => false;
  const answer = (question: string, response: ServerResponse) => {
    // Of a question about ␀ it makes what no text may hold.
    const content = `About: ${question.replace('␀', '\0\ud83d')}`;
    response.end(JSON.stringify({ choices: [{ message: { content } }] }));
  };
  receiver.respond(({ body }, response) => {
    const { messages } = JSON.parse(body) as { messages: { content: string }[] };
    const question = messages.at(-1)?.content ?? '';
    asked.push(question);
    if (isAnswered(question)) answer(question, response);
    else held.push({ question, response });
  });

  const threads = new Map<number, ThreadMessage[]>();
  const suppressed = new Map<number, ConversationRecord['suppression_state']>();
  const thread = (customer: number) => threads.get(customer) ?? threads.set(customer, []).get(customer) ?? [];
  let written = 0;
  const add = (customer: number, message: Pick<ThreadMessage, 'direction' | 'sent_by' | 'text'>) => {
    const stored = {
      ...message,
      message_id: `wamid.${++written}`,
      type: 'text',
      media: null,
      template: null,
      at: new Date().toISOString(),
    };
    thread(customer).unshift(stored);
    return stored;
  };
  harness.answer(GetThread, ({ conversation_id: id, limit }) => ({
    conversation: {
      id,
      customer_phone: phoneOf(id),
      customer_name: '',
      session_window: { open: true, last_inbound_at: null, closes_at: null },
      suppression_state: suppressed.get(id) ?? null,
      last_message: null,
      created_at: new Date().toISOString(),
    },
    messages: thread(id).slice(0, limit),
    next_cursor: null,
  }));

  const sends: RequestOf<typeof SendText>[] = [];
  const accepted = new Map<string, Sent>();
  const answers: SendAnswer[] = [];
  harness.answer(SendText, (request) => {
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
    return (answers.shift() ?? ((go) => go()))(accept);
  });

  const replies = async () => (await harness.rpc.call(ListAutoReplies, { business_id: BUSINESS, limit: 100, cursor: null })).replies;
  return {
    harness,
    sends,
    replies,
    model: {
      asked,
      release: () => {
        isAnswered = () => true;
        for (const { question, response } of held.splice(0)) answer(question, response);
      },
      holdUnless: (answered) => void (isAnswered = answered),
      fail: (question, status = 401) => {
        const oldest = held.findIndex((one) => one.question === question);
        for (const { response } of held.splice(oldest, 1)) response.writeHead(status).end();
      },
    },
    answerSends: (...next) => void answers.push(...next),
    run: (env) => harness.run(service, env),
    spawn: () => harness.spawn('auto-reply'),
    set: async (settings) => {
      await harness.rpc.call(SetAutoReply, { business_id: BUSINESS, timezone: 'UTC', plan: 'growth', enabled: true, ...settings });
    },
    writes: async (customer, text) => {
      const { message_id, at } = add(customer, { direction: 'in', sent_by: null, text });
      await harness.tell(
        newEvent(MessageReceived, {
          id: `message.received:${BUSINESS}:${message_id}`,
          at,
          business_id: BUSINESS,
          key: `conversation:${customer}`,
          data: {
            message_id,
            from: phoneOf(customer),
            from_name: '',
            type: 'text',
            text,
            conversation_id: customer,
            business_id: BUSINESS,
          },
        }),
      );
    },
    agentReplies: (customer) => void add(customer, { direction: 'out', sent_by: 'agent', text: 'A person speaking.' }),
    suppress: (customer, state) => void suppressed.set(customer, state),
    pass: async (seconds) => {
      await harness.db.query(`UPDATE auto_reply.replies SET received_at = received_at - make_interval(secs => $1)`, [seconds]);
    },
    asks: async (business_id, count) => {
      await harness.db.query(
        `INSERT INTO auto_reply.replies (business_id, inbound_message_id, conversation_id, customer, question, received_at)
         SELECT $1::bigint, $1::bigint || '-' || n, $1::bigint * 1000 + n, '919876543210', 'Hello', now() FROM generate_series(1, $2::integer) AS n`,
        [business_id, count],
      );
    },
    leasesEnd: async () => {
      await harness.db.query(`UPDATE auto_reply.replies SET due_at = now() WHERE state = 'pending'`);
    },
    pausesEnd: async () => {
      // What is worked on has a lease of 60 s.
      await harness.db.query(
        `UPDATE auto_reply.replies SET due_at = now() WHERE state = 'pending' AND due_at < now() + interval '30 seconds'`,
      );
    },
    ends: async () => Object.fromEntries((await replies()).map(({ question, state }) => [question, state])),
  };
}

function phoneOf(customer: number): string {
  return `919876543${String(customer).padStart(3, '0')}`;
}
