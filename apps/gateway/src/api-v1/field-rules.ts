import { registerDecorator } from 'class-validator';
import { isBusinessScopedId, normalizePhone } from '@mgw/phone';

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
export const IsRecipient = () =>
  rule('isRecipient', (value) => {
    if (typeof value !== 'string') return 'must be a string';
    const phone = normalizePhone(value);
    return phone.ok ? null : phone.reason;
  });

/** Product decision 10. */
export const IsMessageText = () =>
  rule('isMessageText', (value) => {
    if (typeof value !== 'string') return 'must be a string';
    if (value.trim() === '') return 'must not be blank';
    return [...value].length > MAX_TEXT ? `must have at most ${MAX_TEXT} characters` : null;
  });

/** Product decision 15. */
export const IsParams = () =>
  rule('isParams', (value) => {
    if (!Array.isArray(value)) return 'must be an array';
    if (value.length > MAX_PARAMS) return `must have at most ${MAX_PARAMS} entries`;
    const isParam = (param: unknown) => (typeof param === 'string' && param.length <= MAX_PARAM_LENGTH) || Number.isFinite(param);
    return value.every(isParam) ? null : `must hold strings of at most ${MAX_PARAM_LENGTH} characters, or numbers`;
  });

/** A business-scoped user id cannot get codes (product decision 8). */
export const IsPhoneNumber = () =>
  rule('isPhoneNumber', (value) =>
    typeof value === 'string' && isBusinessScopedId(value) ? 'must be a phone number: codes go to phones only' : null,
  );

/** Product decision 16. */
export const IsMediaUrl = () =>
  rule('isMediaUrl', (value) => {
    if (typeof value !== 'string' || !URL.canParse(value)) return 'must be a URL';
    return /^https?:$/.test(new URL(value).protocol) && value.length <= 2_048
      ? null
      : 'must be an http or https URL of at most 2048 characters';
  });

/** The platform cannot carry a caption with audio (product decision 16). */
export const IsCaption = () => (target: object, propertyName: string | symbol) =>
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
