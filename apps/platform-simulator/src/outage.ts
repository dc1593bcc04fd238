import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Closes the port for a while, so that neither integrations nor the control plane can connect. */
export class Outage {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly app: FastifyInstance) {}

  /** @param ms duration; ignored while an outage lasts */
  start(ms: number): void {
    if (this.timer) return;
    const { server } = this.app;
    const { port, address } = server.address() as AddressInfo;
    server.close();
    this.timer = setTimeout(() => {
      this.timer = undefined;
      server.listen(port, address);
    }, ms);
  }

  end(): void {
    clearTimeout(this.timer);
  }
}
