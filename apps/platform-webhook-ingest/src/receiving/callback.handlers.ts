import { Controller } from '@nestjs/common';
import { GetCallbackTimes, ReceivePlatformWebhook, VerifyPlatformHandshake, type ResponseOf, type RequestOf } from '@mgw/contracts';
import { Handles } from '@mgw/rpc';
import { CallbackTimesStore } from '../callbacks/callback-times.store';
import { CallbackService } from './callback.service';

@Controller()
export class CallbackHandlers {
  constructor(
    private readonly callbacks: CallbackService,
    private readonly times: CallbackTimesStore,
  ) {}

  @Handles(ReceivePlatformWebhook)
  async receive({ body_base64, signature }: RequestOf<typeof ReceivePlatformWebhook>): Promise<ResponseOf<typeof ReceivePlatformWebhook>> {
    return { status: await this.callbacks.receive(Buffer.from(body_base64, 'base64'), signature) };
  }

  @Handles(VerifyPlatformHandshake)
  async verify(request: RequestOf<typeof VerifyPlatformHandshake>): Promise<ResponseOf<typeof VerifyPlatformHandshake>> {
    return { accepted: await this.callbacks.verify(request.mode, request.verify_token) };
  }

  @Handles(GetCallbackTimes)
  callbackTimes({ business_id }: RequestOf<typeof GetCallbackTimes>): Promise<ResponseOf<typeof GetCallbackTimes>> {
    return this.times.find(business_id);
  }
}
