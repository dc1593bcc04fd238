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

/** Spec §4.7. */
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
      // Body, and the code button of AUTHENTICATION templates: the template's own components say which (platform §1.5).
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

  private async storeGeneratedCode({ idempotency }: Sender, intentId: string, made: string | null): Promise<void> {
    if (idempotency === null || made === null) return;
    await this.store.save(intentId, this.sealer.seal(made, `send.otp:${intentId}`));
  }

  private async replayedCode(sender: Sender): Promise<string> {
    const kept = await this.store.find(sender);
    if (!kept) throw new Error('the code of a replayed send is gone');
    return this.sealer.open(kept.otp_sealed, `send.otp:${kept.intent_id}`);
  }
}

/** Six digits from a cryptographic source; zeros may lead. */
function generateCode(): string {
  return String(randomInt(1_000_000)).padStart(6, '0');
}
