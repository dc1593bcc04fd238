import { Injectable } from '@nestjs/common';
import type { ReplyOf, RequestOf, SendMedia, SendTemplate, SendText } from '@mgw/contracts';
import { mediaMessage, templateMessage, textMessage } from '@mgw/platform-api';
import type { RpcContext } from '@mgw/rpc';
import { fillTemplate } from '../templates/fill-template';
import { TemplateService } from '../templates/template.service';
import { SendPipeline } from './send-pipeline.service';

/** One method per kind of message; it builds what differs between kinds. */
@Injectable()
export class SendService {
  constructor(
    private readonly pipeline: SendPipeline,
    private readonly templates: TemplateService,
  ) {}

  /** Sends an approved template (spec §4.4). */
  template(request: RequestOf<typeof SendTemplate>, context: RpcContext): Promise<ReplyOf<typeof SendTemplate>> {
    const { sender, to, template_name: name, language } = request;
    return this.pipeline.send(sender, context, async () => {
      const { template, otherLanguages } = await this.templates.findApproved(sender.business_id, name, language, context);
      const { components, text } = fillTemplate(template, {
        body: request.body_params,
        header: request.header_params,
        buttons: request.button_params,
      });
      return {
        sender,
        to,
        type: 'template',
        template: { name, language, category: template.category, otherLanguages },
        text,
        needsWindow: false,
        request: (callbackData) => templateMessage(to, { name, language, components }, callbackData),
      };
    });
  }

  /** Sends media by URL (spec §4.6). */
  media(request: RequestOf<typeof SendMedia>, context: RpcContext): Promise<ReplyOf<typeof SendMedia>> {
    const { sender, to, media_type: type, media_url: link, caption, filename } = request;
    return this.pipeline.send(sender, context, async () => ({
      sender,
      to,
      type,
      template: null,
      text: caption ?? '',
      needsWindow: true,
      request: (callbackData) => mediaMessage(to, { type, link, caption, filename }, callbackData),
    }));
  }

  /** Sends a text (spec §4.5). */
  text({ sender, to, text }: RequestOf<typeof SendText>, context: RpcContext): Promise<ReplyOf<typeof SendText>> {
    return this.pipeline.send(sender, context, async () => ({
      sender,
      to,
      type: 'text',
      template: null,
      text,
      needsWindow: true,
      request: (callbackData) => textMessage(to, text, callbackData),
    }));
  }
}
