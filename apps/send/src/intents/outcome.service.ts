import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Batcher } from '@mgw/batching';
import { createdAt, type EventEnvelope } from '@mgw/contracts';
import { OutboxRelay } from '@mgw/events';
import { Database, isAboutValues, type Tx } from '@mgw/postgres';
import { LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { ConversationService } from '../conversations/conversation.service';
import type { Reply } from '../conversations/conversation.store';
import type { IntentRecord } from './intent';
import { acceptedPerson, hasOtherName, notSentEvent, sentEvent, type Acceptance } from './outcome-events';
import { OutcomeStore } from './outcome.store';

/** Pauses of an acceptance's first retries, while its caller waits: a lost connection or a failover costs the caller no result. In milliseconds. */
const PAUSES_MS = [100, 300];
/** With pauses that double up to 30 s, these retries take a quarter of an hour. */
const RETRIES = 30;
const CANCELLED = 'The send could not be stored in time, so nothing was sent.';

/** Maximum bytes in each of the three queues. One business may use half, which fits every send that a replica runs at once. */
const MAX_QUEUED_BYTES = 6 * 1024 ** 2;

/**
 * How long an accepted message of a broadcast waits for others, in milliseconds. WhatsApp responds to the messages of one batch one by one,
 * and nobody waits for them; without a pause each would cost a statement here and a transaction of every consumer (decision 672).
 */
const BROADCAST_WAIT_MS = 25;

interface Failure {
  intent: IntentRecord;
  reason: string;
}

/** Records outcomes in batches: all of one event loop turn share a statement, because the round trip dominates their cost. */
@Injectable()
export class OutcomeService {
  /** The result says whether the acceptance is recorded; if another transaction has locked the person, it is not. */
  private readonly acceptances: Batcher<Acceptance, boolean>;
  /** Acceptances whose person another transaction had locked; these wait for the lock. */
  private readonly lateAcceptances: Batcher<Acceptance, boolean>;
  private readonly refusals: Batcher<Failure, void>;
  private readonly cancellations: Batcher<IntentRecord, void>;
  /** Replies in conversations that another transaction holds. One statement at a time waits for them, on one connection. */
  private readonly lateReplies: Batcher<Reply, void>;

  constructor(
    @Inject(Database) private readonly db: Database,
    private readonly conversations: ConversationService,
    private readonly store: OutcomeStore,
    private readonly relay: OutboxRelay,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const held = { maxHeldBytes: MAX_QUEUED_BYTES, largestShare: 1 / 2, isItemError: isAboutValues };
    this.acceptances = new Batcher({
      ...held,
      maxSize: 128,
      waitMs: ({ intent }) => (intent.sentBy === 'broadcast' ? BROADCAST_WAIT_MS : 0),
      businessOf: ({ intent }) => intent.businessId,
      sizeOf: ({ intent }) => sizeOf(intent),
      run: (batch) => this.recordAcceptances(batch, false),
    });
    this.lateAcceptances = new Batcher({
      ...held,
      businessOf: ({ intent }) => intent.businessId,
      sizeOf: ({ intent }) => sizeOf(intent),
      run: (batch) => this.recordAcceptances(batch, true),
    });
    this.refusals = new Batcher({
      ...held,
      businessOf: ({ intent }) => intent.businessId,
      sizeOf: ({ intent }) => sizeOf(intent),
      run: (batch) => this.recordRefusals(batch),
    });
    this.cancellations = new Batcher({
      ...held,
      businessOf: ({ businessId }) => businessId,
      sizeOf,
      run: (batch) => this.cancelAll(batch),
    });
    this.lateReplies = new Batcher({
      businessOf: ({ businessId }) => businessId,
      run: (batch) => this.recordLateReplies(batch),
    });
  }

  /**
   * @param until when the caller stops waiting, in milliseconds since 1970
   * @returns false if recording failed and continues in the background (guarantees §1, S3); a status callback is the last resort (S4)
   */
  accepted(acceptance: Acceptance, until: number): Promise<boolean> {
    const record = async (late: boolean) => {
      const one = late ? { ...acceptance, repaired: true } : acceptance;
      if (!(await this.acceptances.add(one))) await this.lateAcceptances.add(one);
    };
    return this.recordOrRetry(acceptance.intent.id, record, until);
  }

  /** Records a refusal or a send without a call. The caller gets its error even if recording continues in the background (S5). */
  async refused(intent: IntentRecord, reason: string): Promise<void> {
    await this.recordOrRetry(intent.id, () => this.refusals.add({ intent, reason }));
  }

  /** Cancels a send whose reservation may have committed, or may still commit. The platform was not called. */
  async cancelled(intent: IntentRecord): Promise<void> {
    await this.recordOrRetry(intent.id, async () => {
      await this.cancellations.add(intent);
      await this.refusals.add({ intent, reason: CANCELLED });
    });
  }

  /** Records that the platform may have accepted the message. */
  async unknown(intent: IntentRecord, reason: string): Promise<void> {
    const event = notSentEvent(intent, reason);
    await this.recordOrRetry(intent.id, async () => {
      await this.store.markUnknown(intent.id, reason, event);
      this.relay.wake();
    });
  }

  /** Records acceptances in the caller's transaction. @returns the events to publish */
  async acceptedWithin(tx: Tx, acceptances: Acceptance[]): Promise<EventEnvelope[]> {
    const ids = await this.conversations.findOrOpen(tx, acceptances.map(acceptedPerson));
    return this.store.accept(acceptedRows(acceptances, ids), tx);
  }

  /**
   * Tries once, again after each pause that ends before `until`, and then in the background. Retries are safe, because each update checks the
   * intent's state.
   * @returns whether it is recorded
   */
  private async recordOrRetry(intentId: string, record: (late: boolean) => Promise<void>, until = 0): Promise<boolean> {
    for (const pauseMs of [0, ...PAUSES_MS]) {
      if (pauseMs > 0) {
        if (Date.now() + pauseMs >= until) break;
        await pause(pauseMs);
      }
      try {
        await record(false);
        return true;
      } catch (error) {
        this.logger.error({ err: error, intent_id: intentId }, 'recording the outcome of a send failed; will retry');
      }
    }
    void this.retryInBackground(intentId, record);
    return false;
  }

  private async retryInBackground(intentId: string, record: (late: boolean) => Promise<void>): Promise<void> {
    for (let attempt = 1; attempt <= RETRIES; attempt++) {
      await pause(Math.min(30_000, 500 * 2 ** attempt), undefined, { ref: false });
      const done = await record(true).then(
        () => true,
        () => false,
      );
      if (done) return;
    }
    this.logger.error({ intent_id: intentId }, 'gave up recording the outcome of a send');
  }

  /**
   * @param waits whether it waits for people whose names another transaction holds. Otherwise they must not delay the sends of others
   *   (decision 790).
   * @returns whether each is recorded
   */
  private async recordAcceptances(batch: Acceptance[], waits: boolean): Promise<boolean[]> {
    const toIdentify = batch.filter((acceptance) => acceptance.conversationId === null || hasOtherName(acceptance));
    const held = new Set<Acceptance>();
    if (toIdentify.length > 0) {
      // Open conversations in a transaction of their own, so that recording stays one statement. An empty conversation does no harm.
      const ids = await this.conversations.findOrOpenRecipients(this.db, toIdentify.map(acceptedPerson), waits);
      toIdentify.forEach((acceptance, i) => {
        const id = ids[i] ?? null;
        if (id === null) held.add(acceptance);
        else acceptance.conversationId = id;
      });
    }
    const acceptances = batch.filter((acceptance) => !held.has(acceptance));
    if (acceptances.length > 0) await this.record(acceptances);
    return batch.map((acceptance) => !held.has(acceptance));
  }

  private async record(acceptances: Acceptance[]): Promise<void> {
    const published = await this.store.accept(
      acceptedRows(
        acceptances,
        acceptances.map(({ conversationId }) => conversationId as number),
      ),
    );
    this.relay.publishCommitted(published);
    await this.recordReplies(acceptances);
  }

  /** A conversation that another transaction holds must not delay the sends of others (decision 790). */
  private async recordReplies(acceptances: Acceptance[]): Promise<void> {
    const replies = acceptances
      .filter(({ intent }) => isReply(intent))
      .map(({ conversationId, intent }) => ({
        businessId: intent.businessId,
        conversationId: conversationId as number,
        begunAt: createdAt(intent.id),
      }));
    const failed = (error: unknown) => this.logger.warn({ err: error }, 'recording that conversations got replies failed');
    try {
      for (const reply of await this.conversations.recordReplies(this.db, replies)) void this.recordReplyLater(reply).catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  /** Waits twice, because PostgreSQL ends an idle transaction before the second wait ends. */
  private async recordReplyLater(reply: Reply): Promise<void> {
    await this.lateReplies.add(reply).catch(() => this.lateReplies.add(reply));
  }

  private async recordLateReplies(replies: Reply[]): Promise<void[]> {
    await this.conversations.recordRepliesLater(this.db, replies);
    return replies.map(() => undefined);
  }

  private async cancelAll(intents: IntentRecord[]): Promise<void[]> {
    await this.store.cancel(intents, CANCELLED);
    return intents.map(() => undefined);
  }

  private async recordRefusals(batch: Failure[]): Promise<void[]> {
    await this.store.refuse(batch.map(({ intent, reason }) => ({ intentId: intent.id, reason, event: notSentEvent(intent, reason) })));
    this.relay.wake();
    return batch.map(() => undefined);
  }
}

/** Whether the customer stops waiting. Broadcasts and templates by an API key are sent without a question of the customer. */
function isReply({ sentBy, type }: IntentRecord): boolean {
  return sentBy === 'agent' || sentBy === 'ai' || (sentBy === 'api' && type !== 'template' && type !== 'otp' && type !== 'reaction');
}

function sizeOf({ text }: IntentRecord): number {
  return 2 * text.length;
}

function acceptedRows(acceptances: Acceptance[], conversationIds: number[]) {
  return acceptances.map((acceptance, i) => ({
    intentId: acceptance.intent.id,
    messageId: acceptance.messageId,
    conversationId: conversationIds[i] as number,
    acceptedAt: acceptance.acceptedAt,
    event: sentEvent(acceptance, conversationIds[i] as number),
  }));
}
