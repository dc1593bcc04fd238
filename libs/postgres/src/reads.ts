import { GatewayError } from '@mgw/contracts';
import { Shares } from '@mgw/shares';
import type { PoolConfig } from 'pg';
import { Connections, type Tx } from './connections';
import { isTimeout } from './database-errors';

/** The share of connections and of waiting places that one holder may have. */
const SHARE = 1 / 4;
/** Maximum number of statements of all holders that wait for a connection. */
const WAITING = 64;
/** Longest wait for a connection, in milliseconds. Together with the longest statement it stays below a request's deadline. */
const CONNECTION_WITHIN_MS = 1_500;

/** Connections for reads of the dashboard. Holders share them, so that one who searches without pause delays the others little. */
export class Reads {
  private readonly connections: Connections;
  private readonly shares: Shares;

  constructor(options: PoolConfig & { max: number }) {
    this.connections = new Connections(options);
    this.shares = new Shares({ places: options.max, largest: SHARE, waiting: { room: WAITING, largest: SHARE } });
  }

  forHolder(holder: string): Tx {
    return { query: (text, values) => this.query(holder, text, values) };
  }

  close(): Promise<void> {
    return this.connections.close();
  }

  /** @throws GatewayError QUERY_TIMEOUT */
  private async query<T>(holder: string, text: string, values?: unknown[]): Promise<T[]> {
    const release = await this.shares.take(holder, CONNECTION_WITHIN_MS);
    if (release === null) throw new GatewayError('QUERY_TIMEOUT', 'Other searches are still running. Try again in a few seconds.');
    try {
      return await this.connections.query<T>(text, values);
    } catch (error) {
      throw isTimeout(error) ? tooSlow() : error;
    } finally {
      release();
    }
  }
}

function tooSlow(): GatewayError {
  return new GatewayError(
    'QUERY_TIMEOUT',
    'The search took too long, so it was stopped. Narrow it: give a phone number, more of a name, or fewer days. Then try again.',
  );
}
