import type { ContactCards, InteractiveContent, LocationContent } from '@mgw/contracts';
import { isBusinessScopedId } from '@mgw/phone';

/** Body of `POST /{phone_number_id}/messages` (platform §1.1). */
export interface MessageRequest {
  messaging_product: 'whatsapp';
  recipient_type: 'individual';
  to?: string;
  recipient?: string;
  type: string;
  biz_opaque_callback_data: string;
  [content: string]: unknown;
}

export type TemplateParameter =
  | { type: 'text'; text: string; parameter_name?: string }
  | { type: 'coupon_code'; coupon_code: string }
  | { type: 'image'; image: { link: string } }
  | { type: 'video'; video: { link: string } }
  | { type: 'document'; document: { link: string; filename?: string } }
  | { type: 'location'; location: { latitude: string; longitude: string; name: string; address: string } };

export interface TemplateComponentRequest {
  type: 'header' | 'body' | 'button';
  sub_type?: 'url' | 'copy_code';
  index?: string;
  parameters: TemplateParameter[];
}

/** @param callbackData our intent id; the platform returns it with every status of the message (platform §0.14) */
export function textMessage(to: string, text: string, callbackData: string, previewUrl = true): MessageRequest {
  return { ...envelope(to, callbackData), type: 'text', text: { preview_url: previewUrl, body: text } };
}

/** Quotes a message of the same conversation. */
export function asReply(message: MessageRequest, messageId: string | undefined): MessageRequest {
  return messageId === undefined ? message : { ...message, context: { message_id: messageId } };
}

/** A public address that the platform fetches, or the id of an uploaded file. */
type MediaSource = { link: string } | { id: string };

export interface MediaContent {
  type: 'image' | 'document' | 'video' | 'audio';
  file: MediaSource;
  caption: string | null;
  /** File name of a document. */
  filename: string | null;
  /** True for a voice note. */
  voice?: boolean | undefined;
}

/** Sends only the fields that the type allows (platform §1.3): the platform refuses audio with a caption. */
export function mediaMessage(to: string, { type, file, caption, filename, voice }: MediaContent, callbackData: string): MessageRequest {
  const content = {
    ...file,
    ...(caption !== null && type !== 'audio' && { caption }),
    ...(filename !== null && type === 'document' && { filename }),
    ...(voice === true && type === 'audio' && { voice }),
  };
  return { ...envelope(to, callbackData), type, [type]: content };
}

/** `components` is left out when the template has no variables (platform §1.4). */
export function templateMessage(
  to: string,
  template: { name: string; language: string; components: TemplateComponentRequest[] },
  callbackData: string,
): MessageRequest {
  const { name, language, components } = template;
  return {
    ...envelope(to, callbackData),
    type: 'template',
    template: { name, language: { code: language }, ...(components.length > 0 && { components }) },
  };
}

export function locationMessage(to: string, location: LocationContent, callbackData: string): MessageRequest {
  return { ...envelope(to, callbackData), type: 'location', location };
}

export function contactsMessage(to: string, contacts: ContactCards, callbackData: string): MessageRequest {
  return { ...envelope(to, callbackData), type: 'contacts', contacts };
}

/** @param emoji null removes the reaction */
export function reactionMessage(to: string, messageId: string, emoji: string | null, callbackData: string): MessageRequest {
  return { ...envelope(to, callbackData), type: 'reaction', reaction: { message_id: messageId, emoji: emoji ?? '' } };
}

/** The intent's id is also the token of a flow, so that a response can be traced to its message. */
export function interactiveMessage(to: string, content: InteractiveContent, callbackData: string): MessageRequest {
  const { body, header, footer } = content;
  const interactive = {
    ...actionOf(content, callbackData),
    ...(header && { header: headerOf(header) }),
    body: { text: body },
    ...(footer !== undefined && { footer: { text: footer } }),
  };
  return { ...envelope(to, callbackData), type: 'interactive', interactive };
}

function headerOf({ type, text, media_url: link, media_id: id }: NonNullable<InteractiveContent['header']>) {
  if (type === 'text') return { type, text };
  return { type, [type]: id === undefined ? { link } : { id } };
}

/** The platform's name of the kind, and its action (platform §1.7). */
function actionOf({ kind, buttons, list, link, flow }: InteractiveContent, flowToken: string): { type: string; action: object } {
  switch (kind) {
    case 'buttons':
      return { type: 'button', action: { buttons: (buttons ?? []).map((reply) => ({ type: 'reply', reply })) } };
    case 'list':
      return { type: 'list', action: { ...list } };
    case 'link':
      return { type: 'cta_url', action: { name: 'cta_url', parameters: { display_text: link?.text, url: link?.url } } };
    case 'location_request':
      return { type: 'location_request_message', action: { name: 'send_location' } };
    case 'flow': {
      const { flow_id, cta: flow_cta, screen, data } = flow ?? {};
      const start = screen === undefined ? {} : { flow_action: 'navigate', flow_action_payload: { screen, ...(data && { data }) } };
      const parameters = { flow_message_version: '3', flow_token: flowToken, flow_id, flow_cta, ...start };
      return { type: 'flow', action: { name: 'flow', parameters } };
    }
  }
}

/** The leading `+` keeps the platform from adding the business's own country code (platform §0.10). */
function envelope(to: string, callbackData: string) {
  return {
    messaging_product: 'whatsapp' as const,
    recipient_type: 'individual' as const,
    ...(isBusinessScopedId(to) ? { recipient: to } : { to: `+${to}` }),
    biz_opaque_callback_data: callbackData,
  };
}
