import { Controller } from '@nestjs/common';
import { ReceivePlatformWebhook, VerifyPlatformHandshake, type ReplyOf, type RequestOf } from '@mgw/contracts';
import { Handles } from '@mgw/rpc';
import { WebhookService } from './webhook.service';

@Controller()
export class WebhookHandlers {
  constructor(private readonly webhook: WebhookService) {}

  @Handles(ReceivePlatformWebhook)
  async receive({ body_base64, signature }: RequestOf<typeof ReceivePlatformWebhook>): Promise<ReplyOf<typeof ReceivePlatformWebhook>> {
    return { status: await this.webhook.receive(Buffer.from(body_base64, 'base64'), signature) };
  }

  @Handles(VerifyPlatformHandshake)
  async verify(request: RequestOf<typeof VerifyPlatformHandshake>): Promise<ReplyOf<typeof VerifyPlatformHandshake>> {
    return { accepted: await this.webhook.verify(request.mode, request.verify_token) };
  }
}
