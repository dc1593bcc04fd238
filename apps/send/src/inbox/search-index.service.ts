import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@mgw/postgres';
import { BackgroundLoop, LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';

const INTERVAL_MS = 5_000;

/**
 * PostgreSQL first appends new entries of a GIN index to a list, and later moves all of them into the index. This loop moves them; otherwise
 * the insert that fills the list would, and a customer's message would wait for it. A search reads the list too.
 */
@Injectable()
export class SearchIndex extends BackgroundLoop {
  constructor(
    private readonly db: Database,
    @Inject(LOGGER) logger: Logger,
  ) {
    super({ name: 'sorting search entries', logger, retryMs: INTERVAL_MS });
  }

  protected async round(): Promise<number> {
    await this.db.upkeep.query(
      `SELECT gin_clean_pending_list(c.oid) FROM pg_class c JOIN pg_am a ON a.oid = c.relam
       WHERE c.relnamespace = 'send'::regnamespace AND c.relkind = 'i' AND a.amname = 'gin'`,
    );
    return INTERVAL_MS;
  }
}
