import { IsIn, IsOptional, IsString, Length, Matches, registerDecorator } from 'class-validator';
import type { MediaType } from '@mgw/contracts';
import { isBusinessScopedId, normalizePhone } from '@mgw/phone';
import { IgnoresUnknownFields } from '../http/validation.pipe';

const MAX_PARAMS = 50;
const MAX_PARAM_LENGTH = 1_024;
const MAX_TEXT = 4_096;

/** A decorator of class-validator from a function that says what is wrong, or null. */
function rule(name: string, faultOf: (value: unknown) => string | null): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name,
      target: target.constructor,
      propertyName: propertyName as string,
      validator: {
        validate: (value: unknown) => faultOf(value) === null,
        defaultMessage: (args) => faultOf(args?.value) ?? '',
      },
    });
}

/** Spec §2.1, product decision 8. */
const IsRecipient = () =>
  rule('isRecipient', (value) => {
    if (typeof value !== 'string') return 'must be a string';
    const phone = normalizePhone(value);
    return phone.ok ? null : phone.reason;
  });

/** Product decision 10. */
const IsMessageText = () =>
  rule('isMessageText', (value) => {
    if (typeof value !== 'string') return 'must be a string';
    if (value.trim() === '') return 'must not be blank';
    return [...value].length > MAX_TEXT ? `must have at most ${MAX_TEXT} characters` : null;
  });

/** Product decision 15. */
const IsParams = () =>
  rule('isParams', (value) => {
    if (!Array.isArray(value)) return 'must be an array';
    if (value.length > MAX_PARAMS) return `must have at most ${MAX_PARAMS} entries`;
    const isParam = (param: unknown) => (typeof param === 'string' && param.length <= MAX_PARAM_LENGTH) || Number.isFinite(param);
    return value.every(isParam) ? null : `must hold strings of at most ${MAX_PARAM_LENGTH} characters, or numbers`;
  });

/** A business-scoped user id cannot get codes (product decision 8). */
const IsPhoneNumber = () =>
  rule('isPhoneNumber', (value) =>
    typeof value === 'string' && isBusinessScopedId(value) ? 'must be a phone number: codes go to phones only' : null,
  );

/** Product decision 16. */
const IsMediaUrl = () =>
  rule('isMediaUrl', (value) => {
    if (typeof value !== 'string' || !URL.canParse(value)) return 'must be a URL';
    return /^https?:$/.test(new URL(value).protocol) && value.length <= 2_048
      ? null
      : 'must be an http or https URL of at most 2048 characters';
  });

/** The platform cannot carry a caption with audio (product decision 16). */
const IsCaption = () => (target: object, propertyName: string | symbol) =>
  registerDecorator({
    name: 'isCaption',
    target: target.constructor,
    propertyName: propertyName as string,
    validator: {
      validate: (value: unknown, args) => captionFault(value, (args?.object as { media_type?: unknown }).media_type) === null,
      defaultMessage: (args) => captionFault(args?.value, (args?.object as { media_type?: unknown }).media_type) ?? '',
    },
  });

function captionFault(value: unknown, mediaType: unknown): string | null {
  if (typeof value !== 'string') return 'must be a string';
  if ([...value].length > 1_024) return 'must have at most 1024 characters';
  return mediaType === 'audio' ? 'cannot go with audio: the platform does not carry it' : null;
}

/** Spec §4.4. */
@IgnoresUnknownFields()
export class SendTemplateRequest {
  @IsRecipient()
  phone!: string;

  @IsString()
  @Length(1, 512)
  template_name!: string;

  @IsOptional()
  @IsString()
  @Length(1, 20)
  language?: string | null;

  @IsOptional()
  @IsParams()
  body_params?: (string | number)[] | null;

  @IsOptional()
  @IsParams()
  header_params?: (string | number)[] | null;

  /** Beyond the spec: for templates with a dynamic URL button (product decision 15). */
  @IsOptional()
  @IsParams()
  button_params?: (string | number)[] | null;
}

/** Spec §4.5. */
@IgnoresUnknownFields()
export class SendTextRequest {
  @IsRecipient()
  phone!: string;

  @IsMessageText()
  message!: string;
}

/** Spec §4.6. */
@IgnoresUnknownFields()
export class SendMediaRequest {
  @IsRecipient()
  phone!: string;

  @IsIn(['image', 'document', 'video', 'audio'], { message: 'media_type must be one of image, document, video, audio' })
  media_type!: MediaType;

  @IsMediaUrl()
  media_url!: string;

  @IsOptional()
  @IsCaption()
  caption?: string | null;

  @IsOptional()
  @IsString()
  @Length(1, 255)
  filename?: string | null;
}

/** Spec §4.7. */
@IgnoresUnknownFields()
export class SendOtpRequest {
  @IsRecipient()
  @IsPhoneNumber()
  phone!: string;

  @IsString()
  @Length(1, 512)
  template_name!: string;

  /** Product decision 17. */
  @IsOptional()
  @IsString()
  @Matches(/^[0-9A-Za-z-]{1,15}$/, { message: 'otp must be 1 to 15 letters, digits or hyphens' })
  otp?: string | null;

  @IsOptional()
  @IsString()
  @Length(1, 20)
  language?: string | null;
}

/** Spec §4.3: everything is text in a query. */
@IgnoresUnknownFields()
export class QuickSendRequest {
  @IsRecipient()
  phone!: string;

  @IsOptional()
  @IsString()
  @Length(1, 512)
  template?: string;

  @IsOptional()
  @IsString()
  @Length(1, 20)
  lang?: string;

  @IsOptional()
  @IsString()
  @Length(0, 8_192)
  params?: string;

  @IsOptional()
  @IsMessageText()
  message?: string;

  @IsOptional()
  @IsString()
  idempotency_key?: string;
}

/** @param phone one that has been checked */
export function recipientOf(phone: string): string {
  const normalized = normalizePhone(phone);
  if (!normalized.ok) throw new Error('the phone was not checked');
  return normalized.value;
}
