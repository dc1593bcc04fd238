import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '@mgw/postgres';

/** The limit over all API keys together (spec §8): 120 a minute unless an operator set another one. */
@Injectable()
export class LimitsStore {
  constructor(private readonly db: Database) {}

  async globalPerMinute(): Promise<number> {
    const [row] = await this.db.query<{ global_per_minute: number }>(`SELECT global_per_minute FROM access.limits`);
    if (!row) throw new Error('access.limits has lost its row');
    return row.global_per_minute;
  }

  async setGlobalPerMinute(tx: Tx, limit: number): Promise<void> {
    await tx.query(`UPDATE access.limits SET global_per_minute = $1`, [limit]);
  }
}
