import { GatewayError } from '@mgw/contracts';

/** Bytes of the callbacks in processing. Each takes about three times its size: 40 MB of a heap of 256. */
const MAX_BYTES = 12 * 1024 * 1024;
/** The share of one business. */
const MAX_BYTES_OF_LANE = 6 * 1024 * 1024;
const MAX_CALLBACKS_OF_LANE = 128;

/** Bounds the callbacks in processing, in total and for each business. The platform retries a refused callback. */
export class IntakeLimits {
  private bytes = 0;
  private readonly lanes = new Map<number, { callbacks: number; bytes: number }>();

  /** Runs `work` within the total. @throws GatewayError OVERLOADED */
  async inTotal<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    if (this.bytes + bytes > MAX_BYTES) throw overloaded();
    this.bytes += bytes;
    try {
      return await work();
    } finally {
      this.bytes -= bytes;
    }
  }

  /** Runs `work` within the share of a lane. @throws GatewayError OVERLOADED */
  async inLane<T>(lane: number, bytes: number, work: () => Promise<T>): Promise<T> {
    const own = this.lanes.get(lane) ?? { callbacks: 0, bytes: 0 };
    if (own.callbacks >= MAX_CALLBACKS_OF_LANE || own.bytes + bytes > MAX_BYTES_OF_LANE) throw overloaded();
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

function overloaded(): GatewayError {
  return new GatewayError('OVERLOADED', 'Too many callbacks are being processed, so this one was not stored. Try again shortly.');
}
