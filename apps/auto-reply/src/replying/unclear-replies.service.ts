import { Inject, Injectable } from '@nestjs/common';
import { FindSends } from '@mgw/contracts';
import { OutboxRelay } from '@mgw/events';
import { RpcClient } from '@mgw/rpc';
import { BackgroundLoop, LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { RepliesStore, type UnclearReply } from './replies.store';

/** Concurrent queries of one process to the send service. */
const MAX_QUERIES = 32;
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
    const due = await this.replies.claimUnclear(MAX_QUERIES);
    await Promise.all(due.map((reply) => this.resolve(reply)));
    return due.length < MAX_QUERIES ? POLL_MS : 0;
  }

  private async resolve(reply: UnclearReply): Promise<void> {
    const request = { business_id: reply.business_id, message_ids: [reply.message_id] };
    // Without a response the next query comes later.
    const response = await this.rpc.call(FindSends, request).catch(() => null);
    const send = response?.sends[0];
    if (send?.state !== 'accepted') return;
    await this.replies.replied(reply, { message_id: send.message_id, phone: send.to });
    this.relay.wake();
  }
}
