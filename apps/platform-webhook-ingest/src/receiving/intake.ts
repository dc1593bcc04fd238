import { GatewayError } from '@mgw/contracts';

/** Bytes of the callbacks in processing. Each is held about three times over: 40 MB of a heap of 256. */
const MOST_BYTES = 12 * 1024 * 1024;
/** The share of one business. */
const MOST_BYTES_OF_ONE = 6 * 1024 * 1024;
const MOST_CALLBACKS_OF_ONE = 128;

/** Bounds the callbacks in processing, of all businesses together and of each. The platform retries a callback that is refused here. */
export class Intake {
  private bytes = 0;
  private readonly lanes = new Map<number, { callbacks: number; bytes: number }>();

  /** @throws GatewayError OVERLOADED */
  async whole<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    if (this.bytes + bytes > MOST_BYTES) throw full();
    this.bytes += bytes;
    try {
      return await work();
    } finally {
      this.bytes -= bytes;
    }
  }

  /** @throws GatewayError OVERLOADED */
  async ofLane<T>(lane: number, bytes: number, work: () => Promise<T>): Promise<T> {
    const own = this.lanes.get(lane) ?? { callbacks: 0, bytes: 0 };
    if (own.callbacks >= MOST_CALLBACKS_OF_ONE || own.bytes + bytes > MOST_BYTES_OF_ONE) throw full();
    this.lanes.set(lane, own);
    own.callbacks += 1;
    own.bytes += bytes;
    try {
      return await work();
    } finally {
      own.callbacks -= 1;
      own.bytes -= bytes;
      if (own.callbacks === 0) this.lanes.delete(lane);
    }
  }
}

function full(): GatewayError {
  return new GatewayError('OVERLOADED', 'Too many callbacks are being processed; nothing was stored. Try again shortly.');
}
