import { ArrayMaxSize, IsArray, IsBoolean, IsOptional, IsString, Length } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';

const WORDS_MAX = 50;
const WORD = { each: true, message: 'each word must have 1 to 50 characters' };

/** Only what is given changes. */
@JSONSchema({ example: { timezone: 'Asia/Kolkata', stop_words: ['STOP'], start_words: ['START'] } })
export class ChangeSettingsRequest {
  /** IANA name; its midnight resets the daily cap. A new zone holds from the old zone's next midnight (product decisions 20, 53). */
  @IsOptional()
  @IsString()
  @Length(1, 64)
  timezone?: string | null;

  /** Words by which people opt out: the whole message, in any case (product decision 45). */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(WORDS_MAX)
  @IsString(WORD)
  @Length(1, 50, WORD)
  stop_words?: string[] | null;

  /** Words by which they opt in again. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(WORDS_MAX)
  @IsString(WORD)
  @Length(1, 50, WORD)
  start_words?: string[] | null;

  /** Lets one-time passwords through to people who have opted out (product decision 18). */
  @IsOptional()
  @IsBoolean()
  otp_to_opted_out?: boolean | null;
}
