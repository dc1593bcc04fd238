import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { crashPoint } from '@mgw/faults';
import { ConnectionsService } from '../connections/connections.service';
import { SplitterService } from '../splitting/splitter.service';
import { DeliveriesStore } from './deliveries.store';

/** The platform's callbacks: signed, stored, answered; understood later (guarantees §2). */
@Injectable()
export class WebhookService {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly deliveries: DeliveriesStore,
    private readonly splitter: SplitterService,
  ) {}

  /** @returns the HTTP status for the platform: nothing but a stored body is a 200 */
  async receive(body: Buffer, signature: string | null): Promise<200 | 400 | 401> {
    const claimed = /^sha256=([0-9a-f]{64})$/i.exec(signature ?? '')?.[1];
    if (!claimed) return 401;
    const signers = await this.signers(body, Buffer.from(claimed, 'hex'));
    if (signers.length === 0) return 401;
    if (!isJson(body)) return 400;
    await this.deliveries.add({ hash: createHash('sha256').update(body).digest(), body, businesses: signers });
    crashPoint('ingest.after-store');
    this.splitter.nudge();
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

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}
