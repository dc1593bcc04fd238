import { Controller } from '@nestjs/common';
import { CancelRecovery, GetRecovery, RecoverDeliveries, type ResponseOf, type RequestOf } from '@mgw/contracts';
import { Handles, type Handler } from '@mgw/rpc';
import { DispatchService } from '../deliveries/dispatch.service';
import { RecoveryStore } from './recovery.store';

@Controller()
export class RecoveryHandlers {
  constructor(
    private readonly recoveries: RecoveryStore,
    private readonly dispatch: DispatchService,
  ) {}

  @Handles(RecoverDeliveries)
  async begin(request: RequestOf<typeof RecoverDeliveries>): Promise<ResponseOf<typeof RecoverDeliveries>> {
    const begun = await this.recoveries.begin(request);
    this.dispatch.wake();
    return begun;
  }

  @Handles(GetRecovery)
  get: Handler<typeof GetRecovery> = async ({ business_id, webhook_id }) => ({
    recovery: await this.recoveries.find(business_id, webhook_id),
  });

  @Handles(CancelRecovery)
  cancel: Handler<typeof CancelRecovery> = async ({ business_id, webhook_id }) => ({
    cancelled: await this.recoveries.cancel(business_id, webhook_id),
  });
}
