import type { JetStreamManager, NatsConnection } from 'nats';
import { makeRoom, streamOf } from './streams';

/** Publishers stop when less than this part of a stream is free. */
const RESERVE = 1 / 8;
/** Number of publishers that share the reserve: each may add its part of it between two readings of the stream. */
const PUBLISHERS = 32;
/** Pause between two attempts to make room in a full stream, in milliseconds. */
const MAKE_ROOM_EVERY_MS = 250;
/** The bytes of a stored message in addition to its subject, headers and body, rounded up. */
const RECORD_BYTES = 64;

interface Reading {
  /** Bytes that may be published before the next reading of the stream. */
  allowance: number;
}

export interface PublishedSize {
  subject: string;
  /** Bytes of the body and the headers. */
  bytes: number;
}

/**
 * Keeps a publisher away from a stream's size limit. At the limit a nats-server before 2.10.7 accepts a message by its size without
 * the record's overhead, and then deletes the oldest one silently. So publishers stop when an eighth of the stream is left.
 *
 * It is safe without coordination: a publisher adds at most 1/32 of the reserve after its last reading, so 32 publishers whose
 * readings are all out of date do not exceed the reserve. It is cheap: a stream of 1 GiB is read once every 4 MiB.
 */
export class StreamRoom {
  private readonly readings = new Map<string, Reading>();
  private readonly triedAt = new Map<string, number>();

  /** Each publisher needs one, and must await the acknowledgements before it reserves again. */
  constructor(private readonly nc: NatsConnection) {}

  /**
   * Reserves room for messages. In a full stream it first deletes messages that all consumers have handled.
   * @returns how many of them, from the first on, may be published now; 0 if the stream of the first one is full
   */
  async reserve(messages: readonly PublishedSize[]): Promise<number> {
    let reserved = 0;
    for (const message of messages) {
      if (!(await this.admits(message, reserved === 0))) break;
      reserved += 1;
    }
    return reserved;
  }

  /** @param mayRead whether all earlier reservations are published and acknowledged */
  private async admits({ subject, bytes }: PublishedSize, mayRead: boolean): Promise<boolean> {
    const stream = streamOf(subject);
    if (stream === undefined) return true;
    const size = bytes + subject.length + RECORD_BYTES;
    if (this.take(stream, size)) return true;
    if (!mayRead) return false;
    const manager = await this.nc.jetstreamManager();
    if (await this.read(manager, stream, size)) return true;
    return (await this.makeRoom(manager, stream)) && this.read(manager, stream, size);
  }

  private take(stream: string, size: number): boolean {
    const reading = this.readings.get(stream);
    if (reading === undefined || reading.allowance < size) return false;
    reading.allowance -= size;
    return true;
  }

  /** Reads the stream's size. @returns whether it has room for a message of this size */
  private async read(manager: JetStreamManager, stream: string, size: number): Promise<boolean> {
    const { config, state } = await manager.streams.info(stream);
    const reserve = config.max_bytes * RESERVE;
    const isLimited = config.max_bytes > 0;
    const room = isLimited ? config.max_bytes - reserve - state.bytes : Infinity;
    // An empty stream admits any message, so the server refuses one that is larger than its limit.
    if (room < size && state.messages > 0) return this.closed(stream);
    const allowance = isLimited ? Math.min(room, Math.max(reserve / PUBLISHERS, size)) : Infinity;
    this.readings.set(stream, { allowance: allowance - size });
    return true;
  }

  private closed(stream: string): false {
    this.readings.delete(stream);
    return false;
  }

  private async makeRoom(manager: JetStreamManager, stream: string): Promise<boolean> {
    if (performance.now() - (this.triedAt.get(stream) ?? -Infinity) < MAKE_ROOM_EVERY_MS) return false;
    this.triedAt.set(stream, performance.now());
    return makeRoom(manager, stream);
  }
}
