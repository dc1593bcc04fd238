import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { GatewayConfig } from '../gateway.config';

/**
 * The time between "send no more here" (readiness, from the moment of SIGTERM) and the closed port. Whoever still asks is answered,
 * and told to take another connection for the next request.
 */
@Injectable()
export class Draining implements BeforeApplicationShutdown {
  active = false;

  constructor(private readonly config: GatewayConfig) {}

  async beforeApplicationShutdown(): Promise<void> {
    this.active = true;
    await new Promise((resume) => setTimeout(resume, this.config.drainMs));
  }
}
