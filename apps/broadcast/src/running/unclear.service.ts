import { Inject, Injectable } from '@nestjs/common';
import { FindSends, gatewayMessageId, MAX_STATUSES, type FoundSend } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { BackgroundLoop, LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { MAX_ATTEMPTS } from './recipient-sender.service';
import { NEVER_SENT, RecipientsStore, type RecipientEnd } from './recipients.store';
import { UnclearStore, type UnclearRecipient } from './unclear.store';

const POLL_MS = 1_000;
const QUERY_DEADLINE_MS = 5_000;
/** If the send service does not know a send at this age, in seconds, it never received it: the deadline (30 s) has passed. */
const NEVER_RECEIVED_S = 32;
/** Bounds of the pause between two queries about one recipient, in seconds. The pause is a quarter of its age. */
const MIN_PAUSE_S = 2;
const MAX_PAUSE_S = 600;
const UNCLEAR = 'WhatsApp gave no clear response, so the message may have been sent.';
/** Such a recipient may have the message after all, so no retry writes to them. */
export const UNCONFIRMED = 'WhatsApp did not confirm this message within 24 hours: most likely it was not sent.';

/**
 * Resolves recipients with an unknown outcome by querying the send service. A status callback reveals the outcome (guarantees §1, S4);
 * after 24 hours without one the recipient fails. Sends again only if the send service knows that nothing was sent.
 */
@Injectable()
export class UnclearService extends BackgroundLoop {
  constructor(
    private readonly unclear: UnclearStore,
    private readonly recipients: RecipientsStore,
    private readonly rpc: RpcClient,
    @Inject(LOGGER) logger: Logger,
  ) {
    super({ name: 'resolving unclear recipients', logger, retryMs: POLL_MS });
  }

  protected async round(): Promise<number> {
    const due = await this.unclear.claim(MAX_STATUSES);
    const businesses = new Set(due.map(({ businessId }) => businessId));
    await Promise.all(
      [...businesses].map((id) =>
        this.resolve(
          id,
          due.filter(({ businessId }) => businessId === id),
        ),
      ),
    );
    return due.length < MAX_STATUSES ? POLL_MS : 0;
  }

  /** One query for all recipients of a business: thousands, one by one, would delay those of the others. */
  private async resolve(business_id: number, due: UnclearRecipient[]): Promise<void> {
    const request = { business_id, message_ids: due.map(({ intentId }) => gatewayMessageId(intentId)) };
    const deadlineAt = Date.now() + QUERY_DEADLINE_MS;
    // Without a response the recipients are queried again soon.
    const response = await this.rpc.call(FindSends, request, { deadlineAt }).catch(() => null);
    if (response === null) return;
    await this.recipients.recordQueried(
      due.map((recipient, i) => {
        const { broadcastId, nth, intentId } = recipient;
        return { broadcastId, nth, intentId, end: endOf(response.sends[i] ?? null, recipient, intentId) };
      }),
    );
  }
}

function endOf(send: FoundSend, recipient: UnclearRecipient, intentId: string): RecipientEnd {
  const { attempts, age, isFinished } = recipient;
  const notSent = (reason: string): RecipientEnd =>
    isFinished || attempts >= MAX_ATTEMPTS ? { state: 'failed', reason } : { state: 'pending', afterSeconds: 0, isCounted: true, reason };
  const later = (reason: string): RecipientEnd => {
    const afterSeconds = Math.min(MAX_PAUSE_S, Math.max(MIN_PAUSE_S, age / 4));
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
      return age < NEVER_RECEIVED_S ? later(UNCLEAR) : notSent(NEVER_SENT);
  }
}
