import { Type, type Static } from '@sinclair/typebox';
import { IsString } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import {
  ContactCards,
  INTERACTIVE_KINDS,
  LocationContent,
  MediaId,
  type ChoiceList,
  type FlowButton,
  type InteractiveHeader,
  type InteractiveKind,
  type LinkButton,
  type MediaType,
  type ReplyButtons,
} from '@mgw/contracts';
import {
  HasShape,
  IsCaption,
  IsCode,
  IsDryRun,
  IsEmojiOrNull,
  IsFilename,
  IsMediaType,
  IsMediaUrl,
  IsMessageId,
  IsMessageText,
  IsName,
  IsOneOf,
  IsPhoneNumber,
  IsQuickDryRun,
  IsQuickParams,
  IsRecipient,
  IsVoice,
  Optional,
} from '../requests/field-rules';
import { TakesDryRuns } from '../requests/dry-run';
import { IgnoresUnknownFields } from '../requests/request.pipe';
import { LANGUAGE, TEMPLATE_NAME, TemplateContent } from '../sending/template-content';
import {
  contactsFault,
  IsButtons,
  IsFlow,
  IsInteractiveBody,
  IsInteractiveFooter,
  IsInteractiveHeader,
  IsLink,
  IsList,
} from './interactive-rules';

/** The members of sends without a template. */
@IgnoresUnknownFields()
@TakesDryRuns()
abstract class SendRequest {
  @IsRecipient()
  phone!: string;

  @IsDryRun()
  dry_run?: boolean | null;
}

/** A message that may quote another one. */
abstract class QuotingRequest extends SendRequest {
  @Optional(IsMessageId())
  reply_to?: string | null;
}

/** Spec §4.4. */
@IgnoresUnknownFields()
@TakesDryRuns()
@JSONSchema({ example: { phone: '+1 201 555 0100', template_name: 'order_update', language: 'en', body_params: ['Asha', '1007'] } })
export class SendTemplateRequest extends TemplateContent {
  @IsRecipient()
  phone!: string;

  @IsDryRun()
  dry_run?: boolean | null;
}

/** Spec §4.5. */
@JSONSchema({ example: { phone: '+1 201 555 0100', message: 'Your order is on its way.' } })
export class SendTextRequest extends QuotingRequest {
  @IsMessageText()
  message!: string;

  @Optional(HasShape(Type.Boolean({ default: true, description: 'Whether WhatsApp shows a preview of the first link.' })))
  preview_url?: boolean | null;
}

/** Spec §4.6. */
@JSONSchema({ example: { phone: '+1 201 555 0100', media_type: 'image', media_url: 'https://example.com/loom.jpg', caption: 'The loom' } })
export class SendMediaRequest extends QuotingRequest {
  @JSONSchema({ description: 'How the recipient sees the file.' })
  @IsMediaType()
  media_type!: MediaType;

  @IsMediaUrl()
  media_url?: string | null;

  @JSONSchema({ description: 'The id of an uploaded or received file of the business, in place of `media_url`.' })
  @Optional(HasShape(MediaId))
  media_id?: string | null;

  @Optional(IsCaption())
  caption?: string | null;

  @Optional(IsFilename())
  filename?: string | null;

  @Optional(IsVoice())
  voice?: boolean | null;
}

/** A message with buttons, a list, a link, a request for a location, or a flow. */
@JSONSchema({
  example: {
    phone: '+1 201 555 0100',
    kind: 'buttons',
    body: 'When shall we deliver?',
    footer: 'Kaveri Looms',
    buttons: [
      { id: 'am', title: 'Morning' },
      { id: 'pm', title: 'Afternoon' },
    ],
  },
})
export class SendInteractiveRequest extends QuotingRequest {
  @JSONSchema({ description: 'Each of `buttons`, `list`, `link` and `flow` needs the member of that name; `location_request` needs none.' })
  @IsOneOf(INTERACTIVE_KINDS)
  kind!: InteractiveKind;

  @IsInteractiveBody()
  body!: string;

  @JSONSchema({ description: 'Above the body. Not with `location_request`.' })
  @Optional(IsInteractiveHeader())
  header?: Static<typeof InteractiveHeader> | null;

  @Optional(IsInteractiveFooter())
  footer?: string | null;

  @JSONSchema({ description: 'For the kind `buttons`: one to three buttons. A tap comes back as `message.received`.' })
  @IsButtons()
  buttons?: Static<typeof ReplyButtons> | null;

  @JSONSchema({ description: 'For the kind `list`: rows of which the customer chooses one.' })
  @IsList()
  list?: Static<typeof ChoiceList> | null;

  @JSONSchema({ description: 'For the kind `link`: a button that opens an address.' })
  @IsLink()
  link?: Static<typeof LinkButton> | null;

  @JSONSchema({ description: 'For the kind `flow`: a button that opens a flow of WhatsApp.' })
  @IsFlow()
  flow?: Static<typeof FlowButton> | null;
}

@JSONSchema({
  example: { phone: '+1 201 555 0100', latitude: 12.9716, longitude: 77.5946, name: 'Kaveri Looms', address: '14 Weaver Street' },
})
export class SendLocationRequest extends QuotingRequest {
  @HasShape(LocationContent.properties.latitude)
  latitude!: number;

  @HasShape(LocationContent.properties.longitude)
  longitude!: number;

  @Optional(HasShape(LocationContent.properties.name))
  name?: string | null;

  @Optional(HasShape(LocationContent.properties.address))
  address?: string | null;
}

@JSONSchema({
  example: {
    phone: '+1 201 555 0100',
    contacts: [{ name: { formatted_name: 'Asha Rao', first_name: 'Asha' }, phones: [{ phone: '+91 90000 55509', type: 'WORK' }] }],
  },
})
export class SendContactsRequest extends QuotingRequest {
  @JSONSchema({ description: 'Contact cards, as WhatsApp takes them.' })
  @HasShape(ContactCards, contactsFault)
  contacts!: ContactCards;
}

@JSONSchema({
  example: { phone: '+1 201 555 0100', message_id: 'wamid.HBgLMTIwMTU1NTAxMDAVAgASGBQzQTlGMkMwRTdCNUQxMzY4MEEA', emoji: '👍' },
})
export class SendReactionRequest extends SendRequest {
  @IsMessageId()
  message_id!: string;

  @IsEmojiOrNull()
  emoji!: string | null;
}

/** Spec §4.7. */
@IgnoresUnknownFields()
@TakesDryRuns()
@JSONSchema({ example: { phone: '+1 201 555 0100', template_name: 'login_code' } })
export class SendOtpRequest {
  @IsRecipient()
  @IsPhoneNumber()
  phone!: string;

  @JSONSchema({ description: 'The `name` of an approved template whose only variable is the code, mostly of the category AUTHENTICATION.' })
  @IsName(512)
  template_name!: string;

  @Optional(IsCode())
  otp?: string | null;

  @JSONSchema({ description: LANGUAGE })
  @Optional(IsName(20))
  language?: string | null;

  @IsDryRun()
  dry_run?: boolean | null;
}

/** Spec §4.3. Every value in a query is text. */
@IgnoresUnknownFields()
@TakesDryRuns()
@JSONSchema({ example: { phone: '+1 201 555 0100', template: 'order_update', params: 'Asha,1007' } })
export class QuickSendRequest {
  @IsRecipient()
  phone!: string;

  @JSONSchema({ description: `${TEMPLATE_NAME} Required without \`message\`.` })
  @Optional(IsName(512))
  template?: string;

  @JSONSchema({ description: LANGUAGE })
  @Optional(IsName(20))
  lang?: string;

  @Optional(IsQuickParams())
  params?: string;

  @JSONSchema({ description: 'A text for a customer whose window is open. Required without `template`.' })
  @Optional(IsMessageText())
  message?: string;

  @JSONSchema({ description: 'In place of the header `Idempotency-Key`: a repeated request with the same key sends nothing again.' })
  @Optional(IsString())
  idempotency_key?: string;

  @IsQuickDryRun()
  dry_run?: string;
}
