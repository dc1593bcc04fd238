import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ReplyOf, RequestOf, SendOtp, Sender } from '@mgw/contracts';
import { templateMessage } from '@mgw/platform-api';
import type { RpcContext } from '@mgw/rpc';
import { Sealer } from '@mgw/sealing';
import { fillTemplate, maskedText } from '../templates/fill-template';
import { TemplateService } from '../templates/template.service';
import { SendPipeline } from './send-pipeline.service';
import { OtpStore } from './otp.store';
import { marketingTemplateForOtp } from './send-errors';

/** Sends a one-time password through a template (spec §4.7). */
@Injectable()
export class OtpService {
  constructor(
    private readonly pipeline: SendPipeline,
    private readonly templates: TemplateService,
    private readonly sealer: Sealer,
    private readonly store: OtpStore,
  ) {}

  async send(request: RequestOf<typeof SendOtp>, context: RpcContext): Promise<ReplyOf<typeof SendOtp>> {
    const { sender, to, template_name: name, language } = request;
    const code = request.otp ?? generateCode();
    const sent = await this.pipeline.send(sender, context, async () => {
      const { template, otherLanguages } = await this.templates.findApproved(sender.business_id, name, language, context);
      if (template.category === 'MARKETING') throw marketingTemplateForOtp(name);
      // The code fills the body; fillTemplate also fills the code button of AUTHENTICATION templates (platform §1.5).
      const { components } = fillTemplate(template, { body: [code], header: [], buttons: [] });
      return {
        sender,
        to,
        type: 'otp',
        template: { name, language, category: template.category, otherLanguages },
        text: maskedText(template),
        needsWindow: false,
        beforeCall: (intentId) => this.storeGeneratedCode(sender, intentId, request.otp === null ? code : null),
        request: (callbackData) => templateMessage(to, { name, language, components }, callbackData),
      };
    });
    return { ...sent, otp: sent.replayed && request.otp === null ? await this.replayedCode(sender) : code };
  }

  private async storeGeneratedCode({ idempotency }: Sender, intentId: string, code: string | null): Promise<void> {
    if (idempotency === null || code === null) return;
    await this.store.save(intentId, this.sealer.seal(code, `send.otp:${intentId}`));
  }

  private async replayedCode(sender: Sender): Promise<string> {
    const stored = await this.store.find(sender);
    if (!stored) throw new Error('the OTP of a replayed send is not stored');
    return this.sealer.open(stored.otp_sealed, `send.otp:${stored.intent_id}`);
  }
}

/** @returns six random digits, possibly with leading zeros */
function generateCode(): string {
  return String(randomInt(1_000_000)).padStart(6, '0');
}
