import { Inject, Injectable } from '@nestjs/common';
import { FindSends, MAX_STATUSES } from '@mgw/contracts';
import { OutboxRelay } from '@mgw/events';
import { RpcClient } from '@mgw/rpc';
import { BackgroundLoop, LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { RepliesStore, type UnclearReply } from './replies.store';

const POLL_MS = 5_000;

/**
 * Finds replies that failed with an unknown outcome, and that WhatsApp confirmed later (guarantees §1, S4). It only queries the send
 * service: another send could reach the customer hours late (decision 771).
 */
@Injectable()
export class UnclearReplies extends BackgroundLoop {
  constructor(
    private readonly replies: RepliesStore,
    private readonly rpc: RpcClient,
    private readonly relay: OutboxRelay,
    @Inject(LOGGER) logger: Logger,
  ) {
    super({ name: 'resolving unclear replies', logger, retryMs: POLL_MS });
  }

  protected async round(): Promise<number> {
    const due = await this.replies.claimUnclear(MAX_STATUSES);
    const businesses = new Set(due.map(({ business_id }) => business_id));
    await Promise.all(
      [...businesses].map((id) =>
        this.resolve(
          id,
          due.filter(({ business_id }) => business_id === id),
        ),
      ),
    );
    return due.length < MAX_STATUSES ? POLL_MS : 0;
  }

  /** One query for all replies of a business: thousands, one by one, would delay those of the others. */
  private async resolve(business_id: number, due: UnclearReply[]): Promise<void> {
    const request = { business_id, message_ids: due.map(({ message_id }) => message_id) };
    // Without a response the next query comes later.
    const response = await this.rpc.call(FindSends, request).catch(() => null);
    const sent = due.flatMap((reply, i) => {
      const send = response?.sends[i];
      return send?.state === 'accepted' ? [{ ...reply, message_id: send.message_id, phone: send.to }] : [];
    });
    if (sent.length === 0) return;
    await this.replies.replied(sent);
    this.relay.wake();
  }
}
