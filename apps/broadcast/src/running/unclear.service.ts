import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { FindSend, gatewayMessageId, type ReplyOf } from '@mgw/contracts';
import { Signal } from '@mgw/events';
import { RpcClient } from '@mgw/rpc';
import { LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { MAX_TRIES } from './sending.service';
import { RecipientsStore, type RecipientEnd } from './recipients.store';
import { UnclearStore, type UnclearRecipient } from './unclear.store';

/** Questions to the send service that one process has open at once. */
const AT_ONCE = 32;
const LOOK_EVERY_MS = 1_000;
const ANSWER_WITHIN_MS = 5_000;
/** A send that the send service does not know at this age, in seconds, was never made: its deadline (30 s) has passed. */
const NEVER_MADE_S = 32;
/** Between two questions about one recipient: a quarter of its age, within these bounds, in seconds. */
const LEAST_PAUSE_S = 2;
const MOST_PAUSE_S = 600;
const NEVER_SENT = 'The message could not be sent: the service was interrupted.';
const UNCLEAR = 'WhatsApp did not answer clearly: the message may have been sent.';
const UNCONFIRMED = 'WhatsApp did not confirm this message within 24 hours: most likely it was not sent.';

/**
 * Settles recipients whose outcome is not known, beside the running broadcasts: a status callback makes the send service know it
 * (guarantees §1, S4), and 24 hours without one end it. Nothing is sent again unless the send service knows that nothing was sent.
 */
@Injectable()
export class UnclearService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly signal = new Signal();
  private stopped = false;
  private ended: Promise<void> = Promise.resolve();

  constructor(
    private readonly unclear: UnclearStore,
    private readonly recipients: RecipientsStore,
    private readonly rpc: RpcClient,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.ended = this.run();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.signal.give();
    await this.ended;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        const due = await this.unclear.take(AT_ONCE);
        await Promise.all(due.map((recipient) => this.settle(recipient)));
        if (due.length < AT_ONCE) await this.signal.wait(LOOK_EVERY_MS);
      } catch (error) {
        this.logger.warn({ err: error }, 'unclear recipients could not be settled; trying again');
        await this.signal.wait(LOOK_EVERY_MS);
      }
    }
  }

  private async settle(recipient: UnclearRecipient): Promise<void> {
    const { broadcastId, businessId, nth, intentId } = recipient;
    if (intentId === null) return this.unclear.tryAgain(recipient);
    const request = { business_id: businessId, message_id: gatewayMessageId(intentId) };
    const deadlineAt = Date.now() + ANSWER_WITHIN_MS;
    // Without an answer it is asked about again soon.
    const answer = await this.rpc.call(FindSend, request, { deadlineAt }).catch(() => null);
    const end = answer && endOf(answer.send, recipient, intentId);
    if (end) await this.recipients.record([{ broadcastId, nth, intentId, end }], false);
  }
}

function endOf(send: ReplyOf<typeof FindSend>['send'], recipient: UnclearRecipient, intentId: string): RecipientEnd {
  const { attempts, age, isOver } = recipient;
  const notSent = (reason: string): RecipientEnd =>
    isOver || attempts >= MAX_TRIES ? { state: 'failed', reason } : { state: 'pending', afterSeconds: 0 };
  const later = (reason: string): RecipientEnd => {
    const afterSeconds = Math.min(MOST_PAUSE_S, Math.max(LEAST_PAUSE_S, age / 4));
    return { state: 'unclear', intentId, reason, afterSeconds };
  };
  switch (send?.state) {
    case 'accepted':
      return { state: 'sent', messageId: send.message_id };
    case 'refused':
      return notSent(send.failure_reason ?? NEVER_SENT);
    case 'unconfirmed':
      return { state: 'failed', reason: UNCONFIRMED };
    case 'calling':
    case 'unknown':
      return later(send.failure_reason ?? UNCLEAR);
    case undefined:
      return age < NEVER_MADE_S ? later(UNCLEAR) : notSent(NEVER_SENT);
  }
}
