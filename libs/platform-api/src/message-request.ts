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
export function textMessage(to: string, text: string, callbackData: string): MessageRequest {
  return { ...envelope(to, callbackData), type: 'text', text: { preview_url: true, body: text } };
}

export interface MediaContent {
  type: 'image' | 'document' | 'video' | 'audio';
  /** Public address that the platform fetches. */
  link: string;
  caption: string | null;
  /** File name of a document. */
  filename: string | null;
}

/** Sends only the fields that the type allows (platform §1.3): the platform refuses audio with a caption. */
export function mediaMessage(to: string, { type, link, caption, filename }: MediaContent, callbackData: string): MessageRequest {
  const content = {
    link,
    ...(caption !== null && type !== 'audio' && { caption }),
    ...(filename !== null && type === 'document' && { filename }),
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

/** The leading `+` keeps the platform from adding the business's own country code (platform §0.10). */
function envelope(to: string, callbackData: string) {
  return {
    messaging_product: 'whatsapp' as const,
    recipient_type: 'individual' as const,
    ...(isBusinessScopedId(to) ? { recipient: to } : { to: `+${to}` }),
    biz_opaque_callback_data: callbackData,
  };
}
