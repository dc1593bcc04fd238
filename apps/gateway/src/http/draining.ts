import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { GatewayConfig } from '../gateway.config';

/**
 * Keeps the port open for a while after SIGTERM, while readiness already turns load balancers away. Responses in this time close their
 * connection.
 */
@Injectable()
export class Draining implements BeforeApplicationShutdown {
  active = false;

  constructor(private readonly config: GatewayConfig) {}

  async beforeApplicationShutdown(): Promise<void> {
    this.active = true;
    await pause(this.config.drainMs);
  }
}
