import { ArrayMaxSize, IsArray, IsBoolean, IsOptional, IsString, Length } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { IsText } from '../requests/is-text';

const WORDS_MAX = 50;
const WORD = { each: true, message: 'each word must have 1 to 50 characters' };

/** Absent fields stay unchanged. */
@JSONSchema({ example: { timezone: 'Asia/Kolkata', stop_words: ['STOP'], start_words: ['START'] } })
export class ChangeSettingsRequest {
  /** IANA name; its midnight resets the daily cap. A new zone takes effect at the old zone's next midnight (decisions 20, 53). */
  @IsOptional()
  @IsText(1, 64)
  timezone?: string | null;

  /** Messages that opt a contact out: the whole text, in any case (decision 45). */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(WORDS_MAX)
  @IsString(WORD)
  @Length(1, 50, WORD)
  stop_words?: string[] | null;

  /** Messages that opt a contact in again. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(WORDS_MAX)
  @IsString(WORD)
  @Length(1, 50, WORD)
  start_words?: string[] | null;

  /** Whether one-time passwords go to opted-out contacts (decision 18). */
  @IsOptional()
  @IsBoolean()
  otp_to_opted_out?: boolean | null;

  /** Whether a customer's messages are marked as read when a person opens the conversation in the inbox. */
  @IsOptional()
  @IsBoolean()
  mark_read_on_open?: boolean | null;

  /** Whether every person of the business needs two-step login. Only owners change it. */
  @IsOptional()
  @IsBoolean()
  require_totp?: boolean | null;
}
