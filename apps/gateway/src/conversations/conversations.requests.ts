import { IsOptional, IsString, Length } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { IsMessageText } from '../requests/field-rules';
import { PageQuery } from '../requests/page';

export class ListConversationsQuery extends PageQuery {
  /** The start or end of a phone number, or the start of a word of a name. */
  @IsOptional()
  @IsString()
  @Length(1, 100)
  q?: string;
}

/** An agent's reply (spec §10). */
@JSONSchema({ example: { text: 'It is on its way.' } })
export class ReplyRequest {
  @IsMessageText()
  text!: string;
}
