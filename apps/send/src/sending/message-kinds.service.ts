import { Injectable } from '@nestjs/common';
import type {
  RequestOf,
  SendContacts,
  Sender,
  SendInteractive,
  SendLocation,
  SendMedia,
  SendOtp,
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
import { fillTemplate, maskedText } from '../templates/fill-template';
import { TemplateService } from '../templates/template.service';
import type { OutgoingMessage } from './outgoing-message';
import type { ReportProblem } from './problems';
import { marketingTemplateForOtp } from './send-errors';

/** Builds what differs between kinds of messages; one method per kind. */
@Injectable()
export class MessageKinds {
  constructor(private readonly templates: TemplateService) {}

  /** An approved template (spec §4.4). */
  async template(request: RequestOf<typeof SendTemplate>, context: RpcContext, report: ReportProblem): Promise<OutgoingMessage> {
    const { sender, to, template_name: name, language } = request;
    const { template, otherLanguages } = await this.templates.findApproved(sender.business_id, name, language, context);
    const values = { body: request.body_params, header: request.header_params, buttons: request.button_params };
    const { components, text } = fillTemplate(template, values, report);
    return {
      sender,
      to,
      type: 'template',
      template: { name, language, category: template.category, otherLanguages },
      text,
      needsWindow: false,
      quotes: null,
      request: (callbackData) => templateMessage(to, { name, language, components }, callbackData),
    };
  }

  /** A one-time password in a template (spec §4.7). */
  async otp(
    { sender, to, template_name: name, language, otp }: RequestOf<typeof SendOtp> & { otp: string },
    context: RpcContext,
    report: ReportProblem,
  ): Promise<OutgoingMessage> {
    const { template, otherLanguages } = await this.templates.findApproved(sender.business_id, name, language, context);
    if (template.category === 'MARKETING') report(marketingTemplateForOtp(name));
    // The code fills the body; fillTemplate also fills the code button of AUTHENTICATION templates (platform §1.5).
    const { components } = fillTemplate(template, { body: [otp], header: [], buttons: [] }, report);
    return {
      sender,
      to,
      type: 'otp',
      template: { name, language, category: template.category, otherLanguages },
      text: maskedText(template),
      needsWindow: false,
      quotes: null,
      request: (callbackData) => templateMessage(to, { name, language, components }, callbackData),
    };
  }

  /** Media by URL or id (spec §4.6). */
  media(request: RequestOf<typeof SendMedia>): OutgoingMessage {
    const { to, media_type: type, media_url, media_id, caption, filename, voice } = request;
    const content = { type, file: media_id === undefined ? { link: media_url ?? '' } : { id: media_id }, caption, filename, voice };
    const named = { ...(media_url !== undefined && { media_url }), ...(media_id !== undefined && { media_id }) };
    const details = { ...named, ...(filename !== null && { filename }), ...(voice && { voice }) };
    const file = media_id === undefined ? null : { field: 'media_id', mediaId: media_id };
    return freeForm(request, { type, text: caption ?? '', details, file }, (callbackData) => mediaMessage(to, content, callbackData));
  }

  /** A text (spec §4.5). */
  text(request: RequestOf<typeof SendText>): OutgoingMessage {
    const { to, text, preview_url } = request;
    return freeForm(request, { type: 'text', text }, (callbackData) => textMessage(to, text, callbackData, preview_url));
  }

  interactive(request: RequestOf<typeof SendInteractive>): OutgoingMessage {
    const { to, content } = request;
    const mediaId = content.header?.media_id;
    const file = mediaId === undefined ? null : { field: 'header.media_id', mediaId };
    const shown = { type: 'interactive', text: content.body, details: { offer: content }, file } as const;
    return freeForm(request, shown, (callbackData) => interactiveMessage(to, content, callbackData));
  }

  location(request: RequestOf<typeof SendLocation>): OutgoingMessage {
    const { to, location } = request;
    return freeForm(request, { type: 'location', text: '', details: { location } }, (callbackData) =>
      locationMessage(to, location, callbackData),
    );
  }

  contacts(request: RequestOf<typeof SendContacts>): OutgoingMessage {
    const { to, contacts } = request;
    return freeForm(request, { type: 'contacts', text: '', details: { contacts } }, (callbackData) =>
      contactsMessage(to, contacts, callbackData),
    );
  }

  /** A reaction names its message itself and quotes none. */
  reaction({ sender, to, message_id: messageId, emoji }: RequestOf<typeof SendReaction>): OutgoingMessage {
    const shown = { type: 'reaction', text: '', details: { reaction: { message_id: messageId, emoji } } } as const;
    return {
      ...freeForm({ sender, to }, shown, (callbackData) => reactionMessage(to, messageId, emoji, callbackData)),
      quotes: { field: 'message_id', messageId },
    };
  }
}

/** A message that needs an open window (spec §3.2) and may quote another one. */
function freeForm(
  { sender, to, reply_to }: { sender: Sender; to: string; reply_to?: string },
  shown: Pick<OutgoingMessage, 'type' | 'text' | 'details' | 'file'>,
  request: OutgoingMessage['request'],
): OutgoingMessage {
  return {
    ...{ sender, to, ...shown, template: null, needsWindow: true, quotes: null },
    ...(reply_to !== undefined && {
      quotes: { field: 'reply_to', messageId: reply_to },
      details: { ...shown.details, context: { message_id: reply_to } },
    }),
    request: (callbackData) => asReply(request(callbackData), reply_to),
  };
}
