import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { GatewayError, GetThread, SendText, type ReplyOf, type SuppressionStateName } from '@mgw/contracts';
import { OutboxRelay } from '@mgw/events';
import { RpcClient } from '@mgw/rpc';
import { LOGGER } from '@mgw/service';
import { Shares } from '@mgw/shares';
import type { Logger } from '@mgw/telemetry';
import { SettingsStore, type Settings } from '../settings/settings.store';
import { CutOff, ModelFailure, ModelService, type Turn } from './model.service';
import { RepliesStore, type Question } from './replies.store';

/** The newest messages of a conversation: those that an agent's activity is looked for in, and those that the model is shown. */
const LOOKED_AT = 100;
const CONTEXT = 20;
/** The largest text for the model, in characters; the newest messages come first. */
const CONTEXT_CHARACTERS = 32_768;
/** Threads that one process reads at once: one takes up to 1.6 MB. Others wait for their turn. */
const LOOKS = { places: 8, largest: 1 / 4, waiting: { room: 256, largest: 1 / 2 } };
const LOOK_WITHIN_MS = 10_000;
/** Tries of a reply that may have been sent. */
const MAX_TRIES = 4;
const MOST_PAUSE_S = 15;
/** A question is set aside after so many tries that began and did not end. */
const MAX_BEGUN = 3;
const SET_ASIDE = `answering this message stopped the service ${MAX_BEGUN} times`;
/** After these it is not known whether a message was sent. */
const UNCLEAR = ['IDEMPOTENCY_IN_FLIGHT', 'DEADLINE_EXCEEDED', 'REPLY_LOST', 'OUTCOME_UNKNOWN', 'INTERNAL'];
/** Nothing was sent, or the same Idempotency-Key will tell what became of it. */
const TRY_AGAIN = new Set([...UNCLEAR, 'PLATFORM_UNAVAILABLE', 'PLATFORM_THROTTLED', 'OVERLOADED']);
/** Who may not be written to (product decision 18): a reply is no marketing. */
const SUPPRESSED: Partial<Record<SuppressionStateName, string>> = {
  opted_out: 'the customer has opted out',
  blocked: 'the customer is blocked',
};
const INTERRUPTED = 'interrupted for a day: whether the reply was sent is not known';
const SUPERSEDED = 'the customer wrote again: the newer message is answered';

/** The customer is not answered: the message says why. */
class NotAnswered extends Error {}

/** What a question is answered with. */
interface Circumstances {
  settings: Settings;
  /** The newest message comes last. */
  turns: Turn[];
}

interface Prepared {
  settings: Settings;
  text: string;
}

/** Answers one customer's message, or leaves it for an agent. */
@Injectable()
export class ReplyService {
  private readonly looks = new Shares(LOOKS);

  constructor(
    private readonly replies: RepliesStore,
    private readonly settings: SettingsStore,
    private readonly models: ModelService,
    private readonly rpc: RpcClient,
    private readonly relay: OutboxRelay,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Throws only when the database is away: the question is then taken again. */
  async answer(question: Question): Promise<void> {
    if (question.begun > MAX_BEGUN) return this.replies.end(question, 'failed', SET_ASIDE, question.sending);
    if (question.sending && question.stale) return this.replies.end(question, 'failed', INTERRUPTED, true);
    let sent: ReplyOf<typeof SendText>;
    try {
      sent = await this.send(question, await this.prepare(question));
    } catch (error) {
      return this.giveUp(question, error);
    }
    await this.replies.replied(question, sent);
    this.relay.nudge();
  }

  /**
   * What is to be sent. The circumstances are looked at before the model is asked and again before the reply leaves; not when a reply may have
   * left already: its Idempotency-Key tells.
   * @throws NotAnswered, ModelFailure, GatewayError
   */
  private async prepare(question: Question): Promise<Prepared> {
    if (question.reply !== null && question.sending)
      return { settings: await this.settings.of(question.business_id), text: question.reply };
    const circumstances = await this.look(question);
    const text = question.reply ?? (await this.compose(question, circumstances));
    if (!(await this.replies.startSending(question))) throw new NotAnswered(SUPERSEDED);
    return { settings: circumstances.settings, text };
  }

  private async compose(question: Question, { settings, turns }: Circumstances): Promise<string> {
    if (!(await this.replies.reserve(question))) throw new NotAnswered('the daily limit is reached');
    const reply = await this.models.answer(question.business_id, settings, turns);
    await this.replies.keepReply(question, reply);
    await this.look(question);
    return reply;
  }

  /** @throws NotAnswered when the question is left to people, or to a newer one */
  private async look(question: Question): Promise<Circumstances> {
    const release = await this.looks.take(String(question.business_id), LOOK_WITHIN_MS);
    if (release === null) throw new GatewayError('OVERLOADED', 'Too many questions of this business are looked at.');
    return this.lookAt(question).finally(release);
  }

  private async lookAt(question: Question): Promise<Circumstances> {
    const { business_id, conversation_id } = question;
    const settings = await this.settings.of(business_id);
    if (!settings.enabled) throw new NotAnswered('auto-reply was switched off');
    if (await this.replies.isSuperseded(question)) throw new NotAnswered(SUPERSEDED);
    const { conversation, messages } = await this.rpc.call(GetThread, { business_id, conversation_id, limit: LOOKED_AT, cursor: null });
    const suppressed = conversation.suppression_state && SUPPRESSED[conversation.suppression_state];
    if (suppressed) throw new NotAnswered(suppressed);
    const quietSince = Date.now() - settings.quiet_when_agent_active_minutes * 60_000;
    if (messages.some(({ sent_by, at }) => sent_by === 'agent' && Date.parse(at) > quietSince))
      throw new NotAnswered('an agent is active in this conversation');
    return { settings, turns: turnsOf(messages) };
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

  /** Tries again while a reply is useful; then the message is left for an agent, and the log says why. */
  private async giveUp(question: Question, error: unknown): Promise<void> {
    const { id, business_id, attempts, sending } = question;
    if (error instanceof NotAnswered) return this.replies.end(question, 'skipped', error.message);
    if (error instanceof CutOff) return void (await this.replies.again(question, 0, sending, true));
    const known = error instanceof GatewayError || error instanceof ModelFailure;
    // OVERLOADED, and what met no answer of the send service, tell nothing of an earlier try.
    const maybeSent =
      error instanceof GatewayError ? UNCLEAR.includes(error.error_code) || (sending && error.error_code === 'OVERLOADED') : sending;
    const pause = Math.min(MOST_PAUSE_S, 2 * 2 ** attempts);
    const mayPass = error instanceof ModelFailure ? error.mayPass : !known || TRY_AGAIN.has((error as GatewayError).error_code);
    // A reply that may have been sent is followed up, useful or not; nothing else is tried after its time.
    const always = maybeSent && attempts < MAX_TRIES;
    if (mayPass && (always || !maybeSent) && (await this.replies.again(question, pause, maybeSent, always))) return;
    const reason = error instanceof GatewayError ? `${error.error_code}: ${error.message}` : (error as Error).message;
    this.logger.warn({ business_id, reply_id: id, ...(known ? { reason } : { err: error }) }, 'a message is left for an agent');
    await this.replies.end(question, 'failed', known ? reason : 'something went wrong on our side', maybeSent);
  }
}

/** The newest messages that fit, the newest last. */
function turnsOf(messages: ReplyOf<typeof GetThread>['messages']): Turn[] {
  const turns: Turn[] = [];
  let room = CONTEXT_CHARACTERS;
  for (const { direction, text } of messages.slice(0, CONTEXT)) {
    room -= text.length;
    if (room < 0) break;
    if (text !== '') turns.unshift({ role: direction === 'in' ? 'user' : 'assistant', content: text });
  }
  return turns;
}
