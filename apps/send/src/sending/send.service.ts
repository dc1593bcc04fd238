import { Injectable } from '@nestjs/common';
import type {
  ReplyOf,
  RequestOf,
  SendContacts,
  Sender,
  SendInteractive,
  SendLocation,
  SendMedia,
  SendReaction,
  SendTemplate,
  SendText,
} from '@mgw/contracts';
import {
  asReply,
  contactsMessage,
  interactiveMessage,
  locationMessage,
  mediaMessage,
  reactionMessage,
  templateMessage,
  textMessage,
} from '@mgw/platform-api';
import type { RpcContext } from '@mgw/rpc';
import { MessageOwnerStore } from '../conversations/message-owner.store';
import { fillTemplate } from '../templates/fill-template';
import { TemplateService } from '../templates/template.service';
import type { OutgoingMessage } from './outgoing-message';
import { foreignMessage } from './send-errors';
import { SendPipeline } from './send-pipeline.service';

/** One method per kind of message; it builds what differs between kinds. */
@Injectable()
export class SendService {
  constructor(
    private readonly pipeline: SendPipeline,
    private readonly templates: TemplateService,
    private readonly owners: MessageOwnerStore,
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
    const { to, media_type: type, media_url: link, caption, filename, voice } = request;
    const content = { type, link, caption, filename, voice };
    const details = { media_url: link, ...(filename !== null && { filename }), ...(voice && { voice }) };
    return this.freeForm(
      request,
      { type, text: caption ?? '', details },
      (callbackData) => mediaMessage(to, content, callbackData),
      context,
    );
  }

  /** Sends a text (spec §4.5). */
  text(request: RequestOf<typeof SendText>, context: RpcContext): Promise<ReplyOf<typeof SendText>> {
    const { to, text, preview_url } = request;
    return this.freeForm(request, { type: 'text', text }, (callbackData) => textMessage(to, text, callbackData, preview_url), context);
  }

  interactive(request: RequestOf<typeof SendInteractive>, context: RpcContext): Promise<ReplyOf<typeof SendInteractive>> {
    const { to, content } = request;
    const shown = { type: 'interactive', text: content.body, details: { offer: content } } as const;
    return this.freeForm(request, shown, (callbackData) => interactiveMessage(to, content, callbackData), context);
  }

  location(request: RequestOf<typeof SendLocation>, context: RpcContext): Promise<ReplyOf<typeof SendLocation>> {
    const { to, location } = request;
    const shown = { type: 'location', text: '', details: { location } } as const;
    return this.freeForm(request, shown, (callbackData) => locationMessage(to, location, callbackData), context);
  }

  contacts(request: RequestOf<typeof SendContacts>, context: RpcContext): Promise<ReplyOf<typeof SendContacts>> {
    const { to, contacts } = request;
    const shown = { type: 'contacts', text: '', details: { contacts } } as const;
    return this.freeForm(request, shown, (callbackData) => contactsMessage(to, contacts, callbackData), context);
  }

  /** A reaction names its message itself and quotes none. */
  reaction(request: RequestOf<typeof SendReaction>, context: RpcContext): Promise<ReplyOf<typeof SendReaction>> {
    const { sender, to, message_id, emoji } = request;
    return this.pipeline.send(sender, context, async () => {
      await this.refuseForeignMessage({ sender, to }, 'message_id', message_id);
      return {
        ...{ sender, to, type: 'reaction', template: null, text: '', details: { reaction: { message_id, emoji } }, needsWindow: true },
        request: (callbackData) => reactionMessage(to, message_id, emoji, callbackData),
      };
    });
  }

  /** Sends a message that needs an open window (spec §3.2) and may quote another one. */
  private freeForm(
    { sender, to, reply_to }: { sender: Sender; to: string; reply_to?: string },
    shown: Pick<OutgoingMessage, 'type' | 'text' | 'details'>,
    request: OutgoingMessage['request'],
    context: RpcContext,
  ): Promise<ReplyOf<typeof SendText>> {
    return this.pipeline.send(sender, context, async () => {
      if (reply_to !== undefined) await this.refuseForeignMessage({ sender, to }, 'reply_to', reply_to);
      return {
        ...{ sender, to, ...shown, template: null, needsWindow: true },
        ...(reply_to !== undefined && { details: { ...shown.details, context: { message_id: reply_to } } }),
        request: (callbackData) => asReply(request(callbackData), reply_to),
      };
    });
  }

  /** The platform quotes a foreign message as an empty box and refuses a foreign one without naming the field (decision 303). */
  private async refuseForeignMessage({ sender, to }: { sender: Sender; to: string }, field: string, messageId: string): Promise<void> {
    if (!(await this.owners.belongsTo(sender.business_id, to, messageId))) throw foreignMessage(field);
  }
}
