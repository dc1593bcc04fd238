import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** A time in which nobody can connect, neither integrations nor the control plane: the port is closed, then opened again. */
export class Absence {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly app: FastifyInstance) {}

  /** @param ms how long; while one is under way another changes nothing */
  begin(ms: number): void {
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
