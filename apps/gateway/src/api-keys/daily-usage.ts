import { Injectable } from '@nestjs/common';
import { GetDailyUsage } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';

/** A list of keys does not wait longer than this for its figures. */
const WAIT_MS = 1_000;

/** What each key has used of today's cap; the send service counts (guarantees §1). */
@Injectable()
export class DailyUsage {
  constructor(private readonly rpc: RpcClient) {}

  /** @returns null when the send service does not say in time: the list is shown without the figures. */
  async of(keys: readonly { id: number; timezone: string }[]): Promise<Map<number, number> | null> {
    if (keys.length === 0) return new Map();
    const api_keys = keys.map(({ id, timezone }) => ({ api_key_id: id, timezone }));
    try {
      const { used } = await this.rpc.call(GetDailyUsage, { api_keys }, { deadlineAt: Date.now() + WAIT_MS });
      return new Map(used.map((key) => [key.api_key_id, key.used]));
    } catch {
      return null;
    }
  }
}
