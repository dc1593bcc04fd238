import type { NatsConnection } from 'nats';

/**
 * Whether the connection is up, and what to do when it goes: the client of NATS keeps a request that was cut off waiting for
 * its whole timeout, and would send one made while disconnected much later (guarantees §6).
 */
export class InFlight {
  private readonly rejectors = new Set<() => void>();
  private up = true;

  constructor(connection: NatsConnection) {
    void this.watch(connection);
  }

  get connected(): boolean {
    return this.up;
  }

  /** Runs a request; `onCut` makes the error when the connection breaks meanwhile. */
  guard<T>(request: Promise<T>, onCut: () => Error): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const cut = () => reject(onCut());
      this.rejectors.add(cut);
      request.then(resolve, reject).finally(() => this.rejectors.delete(cut));
    });
  }

  private async watch(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === 'reconnect') this.up = true;
      if (type !== 'disconnect') continue;
      this.up = false;
      for (const cut of [...this.rejectors]) cut();
    }
    this.up = false;
  }
}
