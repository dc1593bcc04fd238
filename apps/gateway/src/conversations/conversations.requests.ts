import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsInt, IsOptional, IsPositive, IsString, Length, Matches, Max } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import {
  INBOX_VIEWS,
  LABEL_COLORS,
  LABEL_NAME,
  MAX_INBOX_LIST,
  MAX_LABELS,
  MediaId,
  type InboxView,
  type Label,
  type MediaType,
} from '@mgw/contracts';
import {
  HasShape,
  IsCaption,
  IsEmojiOrNull,
  IsFilename,
  IsMediaType,
  IsMessageId,
  IsMessageText,
  IsName,
  IsRecipient,
} from '../requests/field-rules';
import { IsText } from '../requests/is-text';
import { PageQuery } from '../requests/page';
import { IsZonedDatetime } from '../requests/zoned-datetime';
import { TemplateValues } from '../sending/template-content';

export class ListConversationsQuery extends PageQuery {
  /**
   * Any part of a phone number (at least three digits, spaces and dashes allowed), the beginning of a word of a name, or words of messages,
   * of which the last may be incomplete.
   */
  @IsOptional()
  @IsText(1, 100)
  q?: string;

  /** `all` by default. People who never wrote appear only with `q`. */
  @IsOptional()
  @IsIn([...INBOX_VIEWS], { message: `view must be one of ${INBOX_VIEWS.join(', ')}` })
  view?: InboxView;

  /** `1`: only conversations with unread messages. */
  @IsOptional()
  @IsIn(['0', '1'], { message: 'unread must be 0 or 1' })
  unread?: '0' | '1';

  /** The name of a label. */
  @IsOptional()
  @IsText(1, LABEL_NAME)
  label?: string;
}

const NAME = { each: true, message: `labels must have 1 to ${LABEL_NAME} characters each` };

/** Changes only the given fields. */
@JSONSchema({ example: { assigned_to: null, labels: ['Order 1007'], status: 'open', read: true, auto_reply: true } })
export class ChangeConversationRequest {
  /** The id of a person of the team; null for nobody. */
  @IsOptional()
  @IsInt()
  @IsPositive()
  @Max(Number.MAX_SAFE_INTEGER)
  assigned_to?: number | null;

  @IsOptional()
  @IsIn(['open', 'closed'], { message: 'status must be open or closed' })
  status?: 'open' | 'closed' | null;

  /** Marks the customer’s messages as read. */
  @IsOptional()
  @IsIn([true], { message: 'read must be true' })
  read?: true | null;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_INBOX_LIST)
  @IsString(NAME)
  @Length(1, LABEL_NAME, NAME)
  @Matches(/\S/, { each: true, message: 'labels must not be blank' })
  @JSONSchema({
    description: `Names of labels; a new name makes a label. A conversation has at most ${MAX_LABELS}, or more after two were merged: then a change may remove labels but add none.`,
  })
  labels?: string[] | null;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_INBOX_LIST)
  @IsString(NAME)
  @Length(1, LABEL_NAME, NAME)
  @JSONSchema({
    description:
      'The labels of the conversation as they were shown. Only the difference between them and `labels` is added and removed, so labels that a colleague added or renamed meanwhile stay. Without it, `labels` replaces all.',
  })
  labels_before?: string[] | null;

  /** Whether auto-reply may reply in this conversation. */
  @IsOptional()
  @IsBoolean()
  auto_reply?: boolean | null;

  @IsOptional()
  @IsZonedDatetime()
  @JSONSchema({
    description:
      'The `last_received_at` of the conversation as it was shown, or its `created_at` if that is null. If a message of the customer arrived after this time, nothing changes and the response is 409, so that nobody closes a conversation over a message that they have not seen.',
  })
  nothing_received_since?: string | null;
}

/** An agent's reply (spec §10). */
@JSONSchema({ example: { text: 'It is on its way.' } })
export class ReplyRequest {
  @IsMessageText()
  text!: string;

  @IsOptional()
  @IsMessageId()
  reply_to?: string | null;
}

/** An agent's reply with an uploaded or received file of the business. */
@JSONSchema({ example: { media_type: 'document', media_id: '1003383421387256', filename: 'invoice-1007.pdf', caption: 'Your invoice' } })
export class FileReplyRequest {
  @IsMediaType()
  media_type!: MediaType;

  @HasShape(MediaId)
  media_id!: string;

  @IsOptional()
  @IsCaption()
  caption?: string | null;

  @IsOptional()
  @IsFilename()
  filename?: string | null;

  @IsOptional()
  @IsMessageId()
  reply_to?: string | null;
}

/** A note that only the business sees. */
@JSONSchema({ example: { text: 'Wants it before Friday.' } })
export class NoteRequest {
  @IsMessageText()
  text!: string;
}

/** An agent's reaction to a message. */
@JSONSchema({ example: { message_id: 'wamid.HBgLMTIwMTU1NTAxMDAVAgASGBQzQTlGMkMwRTdCNUQxMzY4MEEA', emoji: '👍' } })
export class ReactionRequest {
  @IsMessageId()
  message_id!: string;

  @IsEmojiOrNull()
  emoji!: string | null;
}

/** A message of an agent to any person: a template, or a text within the 24-hour window. */
@JSONSchema({ example: { phone: '+1 201 555 0100', template_name: 'order_update', body_params: ['Asha', '1007'] } })
export class NewMessageRequest extends TemplateValues {
  @IsRecipient()
  phone!: string;

  @IsOptional()
  @IsName(512)
  template_name?: string | null;

  /** Instead of a template. */
  @IsOptional()
  @IsMessageText()
  text?: string | null;
}

@JSONSchema({ example: { name: 'VIP', color: 'orange' } })
export class LabelRequest {
  @IsName(LABEL_NAME)
  name!: string;

  @IsIn([...LABEL_COLORS], { message: `color must be one of ${LABEL_COLORS.join(', ')}` })
  color!: Label['color'];
}

/** Changes only the given fields. */
@JSONSchema({ example: { color: 'blue' } })
export class ChangeLabelRequest {
  @IsOptional()
  @IsName(LABEL_NAME)
  name?: string | null;

  @IsOptional()
  @IsIn([...LABEL_COLORS], { message: `color must be one of ${LABEL_COLORS.join(', ')}` })
  color?: Label['color'] | null;
}

@JSONSchema({ example: { shortcut: 'hours', text: 'We are open from 9 to 18.' } })
export class QuickReplyRequest {
  @IsName(32)
  shortcut!: string;

  @IsMessageText()
  text!: string;
}

/** Changes only the given fields. */
@JSONSchema({ example: { text: 'We are open from 9 to 19.' } })
export class ChangeQuickReplyRequest {
  @IsOptional()
  @IsName(32)
  shortcut?: string | null;

  @IsOptional()
  @IsMessageText()
  text?: string | null;
}
