import { Inject, Injectable } from '@nestjs/common';
import { Batcher } from '@mgw/batching';
import type { EventEnvelope } from '@mgw/contracts';
import { OutboxRelay } from '@mgw/events';
import { Database, type Tx } from '@mgw/postgres';
import { LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { ConversationService } from '../conversations/conversation.service';
import { notSentEvent, acceptedPerson, sentEvent, type Acceptance } from './outcome-events';
import { OutcomeStore } from './outcome.store';
import { type IntentRecord } from './intent';

/** With growing pauses, a quarter of an hour. */
const RETRIES = 30;
const CANCELLED = 'The send could not be stored in time; nothing was sent.';

interface Failure {
  intent: IntentRecord;
  reason: string;
}

/** Records how sends ended; all of one turn of the event loop in one statement (performance: the round trip dominates). */
@Injectable()
export class OutcomeService {
  private readonly acceptances: Batcher<Acceptance, void>;
  private readonly refusals: Batcher<Failure, void>;
  private readonly cancellations: Batcher<IntentRecord, void>;

  constructor(
    @Inject(Database) private readonly db: Database,
    private readonly conversations: ConversationService,
    private readonly store: OutcomeStore,
    private readonly relay: OutboxRelay,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.acceptances = new Batcher({ maxSize: 128, run: (batch) => this.recordAcceptances(batch) });
    this.refusals = new Batcher({ run: (batch) => this.recordRefusals(batch) });
    this.cancellations = new Batcher({ run: (batch) => this.cancelAll(batch) });
  }

  /** @returns whether it is recorded now (guarantees §1, S3); if not, a status webhook repairs what is not recorded later (S4) */
  accepted(acceptance: Acceptance): Promise<boolean> {
    return this.recordOrRetry(acceptance.intent.id, (late) => this.acceptances.add(late ? { ...acceptance, repaired: true } : acceptance));
  }

  /** A definite no, or no call at all. The caller learns why, also when it is recorded later (S5). */
  async refused(intent: IntentRecord, reason: string): Promise<void> {
    await this.recordOrRetry(intent.id, () => this.refusals.add({ intent, reason }));
  }

  /** Whether it was reserved is not known, but it was not sent. As `refused`, also when the reservation is committed only later. */
  async cancelled(intent: IntentRecord): Promise<void> {
    await this.recordOrRetry(intent.id, async () => {
      await this.cancellations.add(intent);
      await this.refusals.add({ intent, reason: CANCELLED });
    });
  }

  /** As `refused`. */
  async unknown(intent: IntentRecord, reason: string): Promise<void> {
    const event = notSentEvent(intent, reason);
    await this.recordOrRetry(intent.id, async () => {
      await this.store.markUnknown(intent.id, reason, event);
      this.relay.nudge();
    });
  }

  /** As part of someone else's transaction: the repair by status webhook. @returns what it tells */
  async acceptedIn(tx: Tx, acceptances: Acceptance[]): Promise<EventEnvelope[]> {
    const ids = await this.conversations.findOrOpen(tx, acceptances.map(acceptedPerson));
    return this.store.accept(acceptedRows(acceptances, ids), tx);
  }

  /** Repeating it is harmless: the intent's state fences it. When it fails, goes on trying for a while without the caller. @returns whether it is done */
  private async recordOrRetry(intentId: string, record: (late: boolean) => Promise<void>): Promise<boolean> {
    try {
      await record(false);
      return true;
    } catch (error) {
      this.logger.error({ err: error, intent_id: intentId }, 'the outcome of a send could not be recorded; trying again');
      void this.retryInBackground(intentId, record);
      return false;
    }
  }

  private async retryInBackground(intentId: string, record: (late: boolean) => Promise<void>): Promise<void> {
    for (let attempt = 1; attempt <= RETRIES; attempt++) {
      await new Promise((resume) => setTimeout(resume, Math.min(30_000, 500 * 2 ** attempt)).unref());
      const done = await record(true).then(
        () => true,
        () => false,
      );
      if (done) return;
    }
    this.logger.error({ intent_id: intentId }, 'the outcome of a send was never recorded');
  }

  private async recordAcceptances(acceptances: Acceptance[]): Promise<void[]> {
    const strangers = acceptances.filter(({ conversationId }) => conversationId === null);
    if (strangers.length > 0) {
      // On its own, before the outcome: a conversation without messages harms nobody, and the statement below stays one.
      const ids = await this.conversations.findOrOpenRecipients(this.db, strangers.map(acceptedPerson));
      strangers.forEach((stranger, i) => (stranger.conversationId = ids[i] as number));
    }
    const told = await this.store.accept(
      acceptedRows(
        acceptances,
        acceptances.map(({ conversationId }) => conversationId as number),
      ),
    );
    this.relay.tell(told);
    return acceptances.map(() => undefined);
  }

  private async cancelAll(intents: IntentRecord[]): Promise<void[]> {
    await this.store.cancel(intents, CANCELLED);
    return intents.map(() => undefined);
  }

  private async recordRefusals(batch: Failure[]): Promise<void[]> {
    await this.store.refuse(batch.map(({ intent, reason }) => ({ intentId: intent.id, reason, event: notSentEvent(intent, reason) })));
    this.relay.nudge();
    return batch.map(() => undefined);
  }
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
