import { Controller } from '@nestjs/common';
import { CancelRecovery, GetRecovery, RecoverDeliveries, type ReplyOf, type RequestOf } from '@mgw/contracts';
import { Handles } from '@mgw/rpc';
import { DispatchService } from '../deliveries/dispatch.service';
import { RecoveryStore } from './recovery.store';

@Controller()
export class RecoveryHandlers {
  constructor(
    private readonly recoveries: RecoveryStore,
    private readonly dispatch: DispatchService,
  ) {}

  @Handles(RecoverDeliveries)
  async begin(request: RequestOf<typeof RecoverDeliveries>): Promise<ReplyOf<typeof RecoverDeliveries>> {
    const begun = await this.recoveries.begin(request);
    this.dispatch.wake();
    return begun;
  }

  @Handles(GetRecovery)
  async get({ business_id, webhook_id }: RequestOf<typeof GetRecovery>): Promise<ReplyOf<typeof GetRecovery>> {
    return { recovery: await this.recoveries.find(business_id, webhook_id) };
  }

  @Handles(CancelRecovery)
  async cancel({ business_id, webhook_id }: RequestOf<typeof CancelRecovery>): Promise<ReplyOf<typeof CancelRecovery>> {
    return { cancelled: await this.recoveries.cancel(business_id, webhook_id) };
  }
}
