import { Inject, Injectable } from '@nestjs/common';
import { Batcher } from '@mgw/batching';
import type { EventEnvelope } from '@mgw/contracts';
import { OutboxRelay } from '@mgw/events';
import { isBusinessScopedId } from '@mgw/phone';
import { Database, type Tx } from '@mgw/postgres';
import { LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { ConversationService } from '../conversations/conversation.service';
import { notSentEvent, recipientOf, sentEvent, type Acceptance, type IntentFacts } from './acceptance';
import { OutcomeStore } from './outcome.store';

/** With growing pauses, a quarter of an hour. */
const LATE_ATTEMPTS = 30;

interface Failure {
  intent: IntentFacts;
  reason: string;
}

/** Records how sends ended; all of one turn of the event loop in one statement (performance: the round trip dominates). */
@Injectable()
export class OutcomeService {
  private readonly acceptances: Batcher<Acceptance, void>;
  private readonly refusals: Batcher<Failure, void>;

  constructor(
    @Inject(Database) private readonly db: Database,
    private readonly conversations: ConversationService,
    private readonly store: OutcomeStore,
    private readonly relay: OutboxRelay,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.acceptances = new Batcher({ maxSize: 128, run: (batch) => this.recordAll(batch) });
    this.refusals = new Batcher({ run: (batch) => this.refuseAll(batch) });
  }

  /** Resolves after the commit (guarantees §1, S3). Repeating it is harmless. */
  accepted(acceptance: Acceptance): Promise<void> {
    return this.acceptances.add(acceptance);
  }

  /**
   * As `accepted`; when that fails, goes on trying for a while without the caller (guarantees §1: the platform said yes).
   * @returns whether it is recorded now
   */
  async acceptedOrLater(acceptance: Acceptance): Promise<boolean> {
    try {
      await this.accepted(acceptance);
      return true;
    } catch (error) {
      this.logger.error({ err: error, intent_id: acceptance.intent.id }, 'an accepted send could not be recorded; trying again');
      void this.goOnRecording(acceptance);
      return false;
    }
  }

  /** A definite no, or no call at all. Repeating it is harmless. */
  refused(intent: IntentFacts, reason: string): Promise<void> {
    return this.refusals.add({ intent, reason });
  }

  async unknown(intent: IntentFacts, reason: string): Promise<void> {
    await this.store.markUnknown(intent.id, reason, notSentEvent(intent, reason));
    this.relay.nudge();
  }

  /** As part of someone else's transaction: the repair by status webhook. @returns what it tells */
  async acceptedWithin(tx: Tx, acceptances: Acceptance[]): Promise<EventEnvelope[]> {
    const ids = await this.conversations.of(tx, acceptances.map(personOf));
    return this.store.accept(rows(acceptances, ids), tx);
  }

  /** If this process dies meanwhile, a status webhook repairs it (S4). */
  private async goOnRecording(acceptance: Acceptance): Promise<void> {
    for (let attempt = 1; attempt <= LATE_ATTEMPTS; attempt++) {
      await new Promise((resume) => setTimeout(resume, Math.min(30_000, 500 * 2 ** attempt)).unref());
      const done = await this.accepted({ ...acceptance, repaired: true }).then(
        () => true,
        () => false,
      );
      if (done) return;
    }
    this.logger.error({ intent_id: acceptance.intent.id }, 'an accepted send was never recorded; its status webhook will do it');
  }

  private async recordAll(acceptances: Acceptance[]): Promise<void[]> {
    const strangers = acceptances.filter(({ conversationId }) => conversationId === null);
    if (strangers.length > 0) {
      // On its own, before the outcome: a conversation without messages harms nobody, and the statement below stays one.
      const ids = await this.conversations.ofRecipients(this.db, strangers.map(personOf));
      strangers.forEach((stranger, i) => (stranger.conversationId = ids[i] as number));
    }
    const told = await this.store.accept(
      rows(
        acceptances,
        acceptances.map(({ conversationId }) => conversationId as number),
      ),
    );
    this.relay.tell(told);
    return acceptances.map(() => undefined);
  }

  private async refuseAll(batch: Failure[]): Promise<void[]> {
    await this.store.refuse(batch.map(({ intent, reason }) => ({ intentId: intent.id, reason, event: notSentEvent(intent, reason) })));
    this.relay.nudge();
    return batch.map(() => undefined);
  }
}

function personOf(acceptance: Acceptance) {
  return recipientOf(acceptance, isBusinessScopedId);
}

function rows(acceptances: Acceptance[], conversationIds: number[]) {
  return acceptances.map((acceptance, i) => ({
    intentId: acceptance.intent.id,
    messageId: acceptance.messageId,
    conversationId: conversationIds[i] as number,
    acceptedAt: acceptance.acceptedAt,
    event: sentEvent(acceptance, conversationIds[i] as number),
  }));
}
