import { IsBoolean, IsInt, IsOptional, IsString, Max, MaxLength, Min, ValidateIf } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { IsMessageText } from '../requests/field-rules';
import { IsText } from '../requests/is-text';

/** Absent fields stay unchanged; null removes `base_url` and `api_key`. */
@JSONSchema({ example: { enabled: true, instructions: 'We sell saris. Answer in one sentence.', daily_limit: 100 } })
export class ChangeAutoReplyRequest {
  @IsOptional()
  @IsBoolean()
  enabled?: boolean | null;

  @IsOptional()
  @IsString()
  @MaxLength(8_000)
  instructions?: string | null;

  @IsOptional()
  @IsText(1, 200)
  model?: string | null;

  /** Address of an OpenAI-compatible API. A new host removes the stored key, unless `api_key` comes with it. */
  @ValidateIf((request: ChangeAutoReplyRequest) => request.base_url !== undefined && request.base_url !== null)
  @IsText(1, 2048)
  base_url?: string | null;

  @ValidateIf((request: ChangeAutoReplyRequest) => request.api_key !== undefined && request.api_key !== null)
  @IsText(1, 1024)
  api_key?: string | null;

  /** Most automatic replies within 24 hours. */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(100_000)
  daily_limit?: number | null;

  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(10_080)
  quiet_when_agent_active_minutes?: number | null;

  /** Whether the customer sees that a reply is being written; it also marks their message as read. */
  @IsOptional()
  @IsBoolean()
  show_typing?: boolean | null;
}

@JSONSchema({ example: { text: 'Are you open?' } })
export class TryAutoReplyRequest {
  @IsMessageText()
  text!: string;
}
