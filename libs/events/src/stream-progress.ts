import type { StreamName } from '@mgw/contracts';
import type { ConsumerInfo, NatsConnection } from 'nats';

/** A consumer that handles none of its pending events for this long, in milliseconds, counts as stalled. */
const STALLED_MS = 3_000;

/** Reads the position of a stream's consumers, for a producer that keeps their pace. */
export class StreamProgress {
  private readonly floors = new Map<string, { seq: number; at: number }>();

  /** @param pacemaker names of consumers that the producer waits for even if they stall */
  constructor(
    private readonly nc: NatsConnection,
    private readonly stream: StreamName,
    private readonly pacemaker: RegExp,
  ) {}

  /** @returns the last sequence of the stream, and the lowest handled sequence of the consumers that are not stalled */
  async read(): Promise<{ last: number; handled: number }> {
    const manager = await this.nc.jetstreamManager({ checkAPI: false });
    const { state } = await manager.streams.info(this.stream);
    let handled = Infinity;
    for await (const consumer of manager.consumers.list(this.stream)) {
      if (this.isWaitedFor(consumer)) handled = Math.min(handled, consumer.ack_floor.stream_seq);
    }
    return { last: state.last_seq, handled };
  }

  private isWaitedFor({ name, ack_floor, num_pending, num_ack_pending }: ConsumerInfo): boolean {
    const now = performance.now();
    const before = this.floors.get(name);
    if (before?.seq !== ack_floor.stream_seq) this.floors.set(name, { seq: ack_floor.stream_seq, at: now });
    if (num_pending + num_ack_pending === 0) return false;
    return this.pacemaker.test(name) || now - (this.floors.get(name)?.at ?? now) < STALLED_MS;
  }
}
