import { Injectable } from '@nestjs/common';
import { GetDailyUsage } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { zoneInForce, type Zones } from '../businesses/zones';
import { queryOptional } from '../requests/optional-query';

/** Each key's sends of today, which the send service counts (guarantees §1). */
@Injectable()
export class DailyUsage {
  constructor(private readonly rpc: RpcClient) {}

  /** @returns counts by `sends_as`, so that a rotated key shows the count that it shares; null if the send service does not respond in time; the list then comes without the counts */
  async byKey(keys: readonly (Zones & { sends_as: number })[]): Promise<Map<number, number> | null> {
    if (keys.length === 0) return new Map();
    const api_keys = keys.map((key) => ({ api_key_id: key.sends_as, timezone: zoneInForce(key) }));
    const response = await queryOptional(this.rpc, GetDailyUsage, { api_keys });
    return response && new Map(response.used.map((key) => [key.api_key_id, key.used]));
  }
}
