import { Injectable } from '@nestjs/common';
import { GetDailyUsage } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { zoneInForce, type Zones } from '../businesses/zones';
import { queryOptional } from '../requests/optional-query';

/** What each key has used of today's cap; the send service counts (guarantees §1). */
@Injectable()
export class DailyUsage {
  constructor(private readonly rpc: RpcClient) {}

  /** @returns null when the send service does not say in time: the list is shown without the figures. */
  async of(keys: readonly (Zones & { id: number })[]): Promise<Map<number, number> | null> {
    if (keys.length === 0) return new Map();
    const api_keys = keys.map((key) => ({ api_key_id: key.id, timezone: zoneInForce(key) }));
    const answer = await queryOptional(this.rpc, GetDailyUsage, { api_keys });
    return answer && new Map(answer.used.map((key) => [key.api_key_id, key.used]));
  }
}
