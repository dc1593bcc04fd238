import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import {
  EstimateCost,
  GatewayError,
  GetThread,
  MarkRead,
  MAY_HAVE_SENT,
  NOT_SENT_YET,
  SendText,
  type Access,
  type ErrorCode,
  type ResponseOf,
  type SuppressionStateName,
  type ThreadMessage,
} from '@mgw/contracts';
import { OutboxRelay } from '@mgw/events';
import { marketOf } from '@mgw/phone';
import { RpcClient } from '@mgw/rpc';
import { LOGGER } from '@mgw/service';
import { Shares } from '@mgw/shares';
import type { Logger } from '@mgw/telemetry';
import { BusinessAccess } from '../settings/business-access.service';
import { SettingsStore, type Settings } from '../settings/settings.store';
import { Interrupted, ModelFailure, ModelService, type ChatMessage } from './model.service';
import { LIMITS, RepliesStore, type Question } from './replies.store';

/** The newest messages of a conversation that are searched for an agent's activity. */
const THREAD_MESSAGES = 100;
/** The newest messages that the model reads. */
const CONTEXT_MESSAGES = 20;
/** The largest text for the model, in characters; the oldest messages are dropped. */
const CONTEXT_CHARACTERS = 32_768;
/** Concurrent reads of threads in one process; a thread takes up to 1.6 MB. */
const THREAD_READS = { places: 8, largest: 1 / 4, waiting: { room: 256, largest: 1 / 2 } };
const MAX_READ_WAIT_MS = 10_000;
/** Attempts to send a reply that may have been sent already. */
const MAX_ATTEMPTS = 4;
const MAX_PAUSE_S = 15;
/** Attempts that may begin without ending before the question is set aside. */
const MAX_BEGUN = 3;
const SET_ASIDE = `replying to this message stopped the service ${MAX_BEGUN} times`;
/** After these errors of a read or a send a retry is safe: nothing was sent, or the Idempotency-Key prevents a second message. */
const RETRYABLE = new Set<ErrorCode>([...MAY_HAVE_SENT, ...NOT_SENT_YET, 'QUERY_TIMEOUT']);
/** Why a person receives no reply (decision 18). A reply is not marketing, so `opted_out_marketing` does not count. */
const SUPPRESSED: Partial<Record<SuppressionStateName, string>> = {
  opted_out: 'the customer has opted out',
  blocked: 'the customer is blocked',
};
const INTERRUPTED = 'interrupted for a day; the reply may have been sent';

/** No automatic reply is due; the message has the reason. */
class Skipped extends Error {}

class Superseded extends Skipped {
  constructor() {
    super('the customer wrote again: only the newest message gets a reply');
  }
}

/** An agent should reply (decision 243). */
class TooLate extends Error {
  constructor() {
    super('too late for an automatic reply');
  }
}

/** The settings, with the plan and the time zone of now. */
type CurrentSettings = Settings & Pick<Access, 'plan' | 'timezone'>;

interface Context {
  settings: CurrentSettings;
  /** In the order in which they were written. */
  messages: ChatMessage[];
}

interface Prepared {
  settings: CurrentSettings;
  text: string;
}

/** Replies to a customer's message, or leaves it for an agent. */
@Injectable()
export class ReplyService {
  private readonly threadReads = new Shares(THREAD_READS);

  constructor(
    private readonly replies: RepliesStore,
    private readonly settings: SettingsStore,
    private readonly businesses: BusinessAccess,
    private readonly models: ModelService,
    private readonly rpc: RpcClient,
    private readonly relay: OutboxRelay,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Throws only if the database is unavailable; the question is then claimed again. */
  async replyTo(question: Question): Promise<void> {
    if (question.unfinished_attempts > MAX_BEGUN) return this.replies.end(question, 'failed', SET_ASIDE, question.sending);
    if (question.sending && question.stale) return this.replies.end(question, 'failed', INTERRUPTED, true);
    let prepared: Prepared;
    try {
      prepared = await this.prepare(question);
    } catch (error) {
      // This attempt sent nothing; an earlier one may have.
      return this.handleFailure(question, error, question.sending);
    }
    let sent: ResponseOf<typeof SendText>;
    try {
      sent = await this.send(question, prepared);
    } catch (error) {
      return this.handleFailure(question, error, mayHaveSent(question, error));
    }
    await this.replies.replied([{ ...question, ...sent }]);
    this.relay.wake();
  }

  /**
   * Prepares the reply. Checks the context before the model is called and again before the reply is sent. Skips both checks for a
   * reply that may have been sent: its Idempotency-Key decides.
   * @throws Skipped, TooLate, ModelFailure, GatewayError
   */
  private async prepare(question: Question): Promise<Prepared> {
    if (question.reply !== null && question.sending)
      return { settings: await this.currentSettings(question.business_id), text: question.reply };
    const context = await this.loadContext(question);
    if (question.late) throw new TooLate();
    const text = question.reply ?? (await this.compose(question, context));
    if (!(await this.replies.startSending(question))) throw new Superseded();
    return { settings: context.settings, text };
  }

  private async compose(question: Question, { settings, messages }: Context): Promise<string> {
    // Before the reservation, which counts a call of the model.
    const key = this.models.openKey(question.business_id, settings);
    const reserved = await this.replies.reserve(question, await this.priceOf(question, settings), settings.timezone);
    if (reserved !== 'reserved') throw new Skipped(LIMITS[reserved]);
    if (settings.show_typing) this.showTyping(question);
    const reply = await this.models.reply(settings, key, messages);
    await this.replies.saveReply(question, reply);
    await this.loadContext(question);
    return reply;
  }

  /** The rate of a reply to this customer; null without one. @throws GatewayError if a cost limit needs it and the status service does not respond */
  private async priceOf({ customer }: Question, { timezone, daily_cost_limit }: CurrentSettings): Promise<string | null> {
    const day = new Intl.DateTimeFormat('en-CA', { timeZone: timezone }).format(new Date());
    const market = marketOf(customer) ?? '*';
    const estimate = this.rpc.call(EstimateCost, { category: 'service', day, markets: [{ market, count: 1 }] });
    // Without a limit the price is for the page only.
    const { markets } = await (daily_cost_limit === null ? estimate.catch(() => ({ markets: [] })) : estimate);
    return markets[0]?.price ?? null;
  }

  private async currentSettings(businessId: number): Promise<CurrentSettings> {
    const [settings, { plan, timezone }] = await Promise.all([this.settings.forBusiness(businessId), this.businesses.find(businessId)]);
    return { ...settings, plan, timezone };
  }

  /** The reply does not wait for it, and is sent without it. */
  private showTyping({ business_id, inbound_message_id: message_id }: Question): void {
    void this.rpc.call(MarkRead, { business_id, message_id, typing: true }).catch(() => undefined);
  }

  /** @throws Skipped if an agent handles the conversation or a newer question replaced this one */
  private async loadContext(question: Question): Promise<Context> {
    const release = await this.threadReads.take(String(question.business_id), MAX_READ_WAIT_MS);
    if (release === null) throw new GatewayError('OVERLOADED', 'Too many questions of this business are in progress.');
    return this.readContext(question).finally(release);
  }

  private async readContext(question: Question): Promise<Context> {
    const { business_id, conversation_id } = question;
    const settings = await this.currentSettings(business_id);
    if (!settings.enabled) throw new Skipped('auto-reply was switched off');
    if (await this.replies.isSuperseded(question)) throw new Superseded();
    const { conversation, messages } = await this.rpc.call(GetThread, {
      business_id,
      conversation_id,
      limit: THREAD_MESSAGES,
      cursor: null,
    });
    const newer = writtenAfter(question, messages);
    if (newer.length > 0 && !question.late && (await this.replies.isSuperseded(question, newer))) throw new Superseded();
    const suppressed = conversation.suppression_state && SUPPRESSED[conversation.suppression_state];
    if (suppressed) throw new Skipped(suppressed);
    if (conversation.assigned_to !== null) throw new Skipped('the conversation is assigned to a person');
    if (!conversation.auto_reply) throw new Skipped('automatic replies are off in this conversation');
    const quietSince = Date.now() - settings.quiet_when_agent_active_minutes * 60_000;
    if (messages.some(({ sent_by, at }) => sent_by === 'agent' && Date.parse(at) > quietSince))
      throw new Skipped('an agent is active in this conversation');
    return { settings, messages: chatMessages(messages) };
  }

  private send({ business_id, inbound_message_id, customer }: Question, { settings: { plan, timezone }, text }: Prepared) {
    const key = `auto-reply:${createHash('sha256').update(inbound_message_id).digest('hex')}`;
    const sender = {
      business_id,
      sent_by: 'ai' as const,
      api_key_id: null,
      plan,
      daily_limit: null,
      timezone,
      idempotency: { key, fingerprint: createHash('sha256').update(text).digest('hex') },
    };
    return this.rpc.call(SendText, { sender, to: customer, text });
  }

  /**
   * Retries while a reply is useful; afterwards leaves the message for an agent and logs the reason.
   * @param maybeSent whether the reply may have been sent
   */
  private async handleFailure(question: Question, error: unknown, maybeSent: boolean): Promise<void> {
    const { id, business_id, failed_attempts, sending, send_ended } = question;
    if (error instanceof Skipped) return this.replies.end(question, 'skipped', error.message, error instanceof Superseded);
    if (error instanceof TooLate) return this.replies.end(question, 'failed', error.message);
    if (error instanceof Interrupted)
      return void (await this.replies.postpone(question, { afterSeconds: 0, failedAttempts: failed_attempts, maybeSent, always: true }));
    const known = error instanceof GatewayError || error instanceof ModelFailure;
    // The attempt only found that an earlier one has not ended.
    const isInFlight = error instanceof GatewayError && error.error_code === 'IDEMPOTENCY_IN_FLIGHT' && sending && !send_ended;
    const failedAttempts = maybeSent && !sending ? 1 : failed_attempts + (isInFlight ? 0 : 1);
    const afterSeconds = Math.min(MAX_PAUSE_S, 2 * 2 ** failedAttempts);
    const isTransient = error instanceof ModelFailure ? error.isTransient : !known || RETRYABLE.has((error as GatewayError).error_code);
    // A reply that may have been sent is followed up even when it is no longer useful.
    const always = maybeSent && failedAttempts < MAX_ATTEMPTS;
    // A later attempt may get no response, for example while the send service has no database.
    const messageId = unclearSend(error);
    const again = { afterSeconds, failedAttempts, maybeSent, always, messageId };
    if (isTransient && (always || !maybeSent) && (await this.replies.postpone(question, again))) return;
    const reason = error instanceof GatewayError ? `${error.error_code}: ${error.message}` : (error as Error).message;
    this.logger.warn(
      { business_id, reply_id: id, ...(known ? { reason } : { err: error }) },
      'no automatic reply; the message is left for an agent',
    );
    await this.replies.end(question, 'failed', known ? reason : 'something went wrong on our side', maybeSent, messageId);
  }
}

/** Whether this or an earlier attempt may have sent the reply. @param error of the send */
function mayHaveSent({ sending }: Question, error: unknown): boolean {
  if (!(error instanceof GatewayError)) return true;
  // The send service did not look for an earlier send.
  return MAY_HAVE_SENT.has(error.error_code) || (sending && error.error_code === 'OVERLOADED');
}

/** The id of a send whose outcome is unknown; null for other errors. */
function unclearSend(error: unknown): string | null {
  const id = error instanceof GatewayError && error.error_code === 'OUTCOME_UNKNOWN' ? error.extras['message_id'] : null;
  return typeof id === 'string' ? id : null;
}

/** A message of the thread whose event has not arrived within this time, in milliseconds, may be no question. */
const EVENT_WITHIN_MS = 60_000;

/** The customer's later messages that become questions too. The text of an edited one may be new. @param messages the newest first */
function writtenAfter({ inbound_message_id: id }: Question, messages: ThreadMessage[]): string[] {
  // WhatsApp's times are whole seconds, so the order of the thread decides.
  const own = messages.findIndex(({ message_id }) => message_id === id);
  const isOld = (at: string) => Date.parse(at) < Date.now() - EVENT_WITHIN_MS;
  const isQuestion = ({ direction, at, text, edited_at }: ThreadMessage) =>
    direction === 'in' && text.trim() !== '' && edited_at === undefined && !isOld(at);
  return messages
    .slice(0, Math.max(0, own))
    .filter(isQuestion)
    .map(({ message_id }) => message_id);
}

/** Returns the newest messages that fit, the newest last. @param messages the newest first */
function chatMessages(messages: ResponseOf<typeof GetThread>['messages']): ChatMessage[] {
  const context: ChatMessage[] = [];
  let room = CONTEXT_CHARACTERS;
  for (const message of messages.slice(0, CONTEXT_MESSAGES)) {
    const content = contentOf(message);
    room -= content.length;
    if (room < 0) break;
    if (content !== '') context.unshift({ role: message.direction === 'in' ? 'user' : 'assistant', content });
  }
  return context;
}

/** A caption names the kind of its file, which the model does not see. A choice has the description of its row. */
function contentOf({ text, media, interactive, deleted_at }: ThreadMessage): string {
  if (text === '' || deleted_at !== undefined) return '';
  if (media) return `[${media.type}] ${text}`;
  return interactive?.description ? `${text}\n${interactive.description}` : text;
}
