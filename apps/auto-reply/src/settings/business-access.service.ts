import { Injectable } from '@nestjs/common';
import { RefreshingCache } from '@mgw/caching';
import { BusinessChanged, FindAccess, GatewayError, type Access } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';

/** Plan and time zone of businesses (decision 705). The gateway announces changes; if it does not respond, the last known ones stay in use for a minute. */
@Injectable()
export class BusinessAccess {
  private readonly cached: RefreshingCache<number, Access>;

  constructor(rpc: RpcClient) {
    this.cached = new RefreshingCache({
      load: async (ids) => {
        const { found } = await rpc.call(FindAccess, { parties: ids.map((business_id) => ({ business_id, api_key_id: null })) });
        return found.map((access) => {
          if (access === null) throw new GatewayError('NOT_FOUND', 'No business has this id.');
          return access;
        });
      },
      serveStaleOnError: true,
    });
    rpc.listen(BusinessChanged, ({ business_id }) => this.cached.invalidate((key) => key === String(business_id)));
  }

  /** @throws GatewayError */
  find(businessId: number): Promise<Access> {
    return this.cached.get(String(businessId), () => businessId);
  }
}
