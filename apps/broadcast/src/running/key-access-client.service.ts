import { Injectable } from '@nestjs/common';
import { RefreshingCache } from '@mgw/caching';
import { BusinessChanged, FindAccess, GatewayError, KeyChanged, type Access } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';

/** The key that a broadcast is charged to. */
interface ChargedKey {
  business_id: number;
  api_key_id: number;
}

/**
 * Finds the limits that hold now for the keys of running broadcasts (decision 705). The gateway announces changes; if an announcement is
 * lost, the change takes effect within five seconds.
 */
@Injectable()
export class KeyAccessClient {
  private readonly cached: RefreshingCache<ChargedKey, Access | null>;

  constructor(rpc: RpcClient) {
    this.cached = new RefreshingCache({ load: async (parties) => (await rpc.call(FindAccess, { parties })).found });
    // The announcement may name an heir of the key.
    rpc.listen(KeyChanged, () => this.cached.invalidate(() => true));
    rpc.listen(BusinessChanged, () => this.cached.invalidate(() => true));
  }

  /** @throws GatewayError INVALID_API_KEY, PLAN_NOT_ALLOWED, OVERLOADED while the gateway does not respond */
  async find({ business_id, api_key_id }: ChargedKey): Promise<Access> {
    const found = this.cached.get(`${business_id}:${api_key_id}`, () => ({ business_id, api_key_id }));
    const access = await found.catch(() => {
      throw new GatewayError('OVERLOADED', 'The gateway did not respond, so nothing was sent.');
    });
    if (access === null) {
      const hint = 'Nothing more is sent with it. Cancel the broadcast, and create a new one for the recipients that are still pending.';
      throw new GatewayError('INVALID_API_KEY', 'The API key of this broadcast was revoked or has expired.', { hint });
    }
    if (access.daily_limit === 0) {
      const hint = 'Resume the broadcast when the business is on another plan.';
      throw new GatewayError('PLAN_NOT_ALLOWED', 'The Starter plan cannot send messages through the API.', { hint });
    }
    return access;
  }
}
