import { Injectable } from '@nestjs/common';
import { RefreshedValue } from '@mgw/caching';
import { LimitsChanged } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { LimitsStore } from './limits.store';

/** Caches the limit over all keys together; a change by the operator takes effect within five seconds (decision 21). */
@Injectable()
export class GlobalLimit {
  private readonly cached: RefreshedValue<number>;

  constructor(limits: LimitsStore, rpc: RpcClient) {
    this.cached = new RefreshedValue({ load: () => limits.globalPerMinute() });
    rpc.listen(LimitsChanged, () => this.cached.invalidate());
  }

  perMinute(): Promise<number> {
    return this.cached.get();
  }
}
