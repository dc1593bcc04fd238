import { GatewayError } from '@mgw/contracts';
import { Shares } from '@mgw/shares';
import type { Connections, Tx } from './connections';

/** The part of the main pool that large changes of all businesses may occupy. */
const SHARE = 1 / 4;
/** Changes that wait for their turn: of all businesses, and the share of one. */
const WAITING = { room: 128, largest: 1 / 4 };
const RETRY_AFTER_SECONDS = 2;

export interface LargeChangeOptions {
  /** Longest wait for the turn, in milliseconds; 2,000 by default. Together with the change it stays below a request's deadline. */
  turnWithinMs?: number;
  /** The error of a change that gets no turn. */
  busy?: () => GatewayError;
}

/**
 * Transactions that take seconds because they change everything that a business has. They occupy a part of the main pool, and each
 * business one connection (decision 797). The others wait without a connection.
 */
export class LargeChanges {
  private readonly shares: Shares;

  constructor(
    private readonly main: Connections,
    poolSize: number,
  ) {
    const places = Math.max(1, Math.floor(poolSize * SHARE));
    this.shares = new Shares({ places, largest: 1 / places, waiting: WAITING });
  }

  /** @throws GatewayError that of `busy` */
  async run<T>(
    businessId: number,
    work: (tx: Tx) => Promise<T>,
    { turnWithinMs = 2_000, busy = changesBusy }: LargeChangeOptions = {},
  ): Promise<T> {
    const release = await this.shares.take(String(businessId), turnWithinMs);
    if (release === null) throw busy();
    try {
      return await this.main.transaction(work);
    } finally {
      release();
    }
  }
}

function changesBusy(): GatewayError {
  return new GatewayError('RATE_LIMITED', 'Other large changes are still running, so nothing was changed. Try again in a moment.', {
    retry_after_seconds: RETRY_AFTER_SECONDS,
  });
}
