import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { OutboxRelay } from '@mgw/events';
import { crashPoint } from '@mgw/faults';
import { activeTraceparent } from '@mgw/telemetry';
import { ConnectionsService } from '../connections/connections.service';
import { readCallback } from '../splitting/read-callback';
import { splitDelivery } from '../splitting/split-delivery';
import { countUpdates, SplitterService } from '../splitting/splitter.service';
import { DeliveriesStore } from './deliveries.store';

/** A callback up to this size is split when it comes: its events are stored with it. A larger one is split after the answer. */
const SPLIT_AT_ONCE_BYTES = 256 * 1024;

/** The platform's callbacks: signed, stored, answered; understanding none of it is no reason to refuse one (guarantees §2). */
@Injectable()
export class WebhookService {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly deliveries: DeliveriesStore,
    private readonly splitter: SplitterService,
    private readonly relay: OutboxRelay,
  ) {}

  /** @returns the HTTP status for the platform: nothing but a stored body is a 200 */
  async receive(body: Buffer, signature: string | null): Promise<200 | 400 | 401> {
    const claimed = /^sha256=([0-9a-f]{64})$/i.exec(signature ?? '')?.[1];
    if (!claimed) return 401;
    const signers = await this.signers(body, Buffer.from(claimed, 'hex'));
    if (signers.length === 0) return 401;
    const webhook = parsed(body);
    if (webhook === undefined) return 400;
    const businesses = signers;
    const updates = body.length > SPLIT_AT_ONCE_BYTES ? null : splitDelivery(webhook, { businesses }, await this.connections.current());
    const hash = createHash('sha256').update(body).digest();
    const told = await this.deliveries.add({ hash, body, businesses, updates, traceparent: activeTraceparent() ?? null });
    crashPoint('ingest.after-store');
    if (updates === null) this.splitter.nudge();
    else if (told !== null) {
      countUpdates(updates);
      this.relay.tell(told);
    }
    return 200;
  }

  async verify(mode: string, token: string): Promise<boolean> {
    if (mode !== 'subscribe' || token === '') return false;
    return (await this.connections.current()).knowsVerifyToken(token) || (await this.connections.newer()).knowsVerifyToken(token);
  }

  private async signers(body: Buffer, signature: Buffer): Promise<number[]> {
    const signers = (await this.connections.current()).signers(body, signature);
    return signers.length > 0 ? signers : (await this.connections.newer()).signers(body, signature);
  }
}

/** @returns undefined when it cannot be read */
function parsed(body: Buffer): unknown {
  try {
    return readCallback(body);
  } catch {
    return undefined;
  }
}
