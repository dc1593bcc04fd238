import { IsOptional, IsString, Length, registerDecorator } from 'class-validator';
import { normalizePhone } from '@mgw/phone';
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

/** @param phone one that has been checked */
export function recipientOf(phone: string): string {
  const normalized = normalizePhone(phone);
  if (!normalized.ok) throw new Error('the phone was not checked');
  return normalized.value;
}
