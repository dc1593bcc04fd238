import type { NatsConnection } from 'nats';

/** Knows whether NATS is connected, and cancels work when the connection breaks. */
export class Link {
  /** Number of reconnections. After each one the server may have another store. */
  reconnections = 0;
  private connected: boolean;
  private closed = false;
  private readonly lost = new Set<(error: Error) => void>();

  /** @param changed called when the connection breaks or is restored */
  constructor(
    nc: NatsConnection,
    private readonly changed: () => void,
  ) {
    this.connected = nc.info !== undefined;
    void this.watch(nc);
  }

  get isUp(): boolean {
    return this.connected;
  }

  /**
   * Rejects as soon as the connection breaks. The client would wait for responses that cannot come, and would send its buffer to a
   * server whose streams have not been compared yet.
   */
  whileUp<T>(work: () => Promise<T>): Promise<T> {
    if (!this.connected) return Promise.reject(new Error('NATS is not connected'));
    return new Promise((resolve, reject) => {
      this.lost.add(reject);
      void work()
        .then(resolve, reject)
        .finally(() => this.lost.delete(reject));
    });
  }

  close(): void {
    this.closed = true;
  }

  private async watch(nc: NatsConnection): Promise<void> {
    for await (const { type } of nc.status()) {
      if (this.closed) return;
      if (type !== 'disconnect' && type !== 'reconnect') continue;
      this.connected = type === 'reconnect';
      if (this.connected) this.reconnections += 1;
      else for (const reject of this.lost) reject(new Error('the connection to NATS was lost'));
      this.changed();
    }
  }
}
