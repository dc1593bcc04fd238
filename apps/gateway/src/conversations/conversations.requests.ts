import { IsOptional } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { IsEmojiOrNull, IsMessageId, IsMessageText } from '../requests/field-rules';
import { IsText } from '../requests/is-text';
import { PageQuery } from '../requests/page';

export class ListConversationsQuery extends PageQuery {
  /** The start or end of a phone number, or the start of a word of a name. */
  @IsOptional()
  @IsText(1, 100)
  q?: string;
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

/** An agent's reaction to a message. */
@JSONSchema({ example: { message_id: 'wamid.HBgLMTIwMTU1NTAxMDAVAgASGBQzQTlGMkMwRTdCNUQxMzY4MEEA', emoji: '👍' } })
export class ReactionRequest {
  @IsMessageId()
  message_id!: string;

  @IsEmojiOrNull()
  emoji!: string | null;
}
