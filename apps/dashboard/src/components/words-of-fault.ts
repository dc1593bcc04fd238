import type { ReactNode } from 'react';
import { counted } from './format-number';

/** Why a field's value is wrong, in the form's words, or null if it is right; the label goes in front. A required text must not be blank. */
export function wordsOf(control: HTMLInputElement | HTMLTextAreaElement): string | null {
  const { validity, minLength, validationMessage, required, value } = control;
  const { type = '', min = '', max = '' } = control instanceof HTMLInputElement ? control : {};
  if (validity.valueMissing || (required && type !== 'password' && value.trim() === '')) return 'is missing';
  if (validity.valid) return null;
  if (validity.customError) return validationMessage;
  if (validity.typeMismatch && type === 'email') return 'must be an address such as name@company.com';
  if (validity.tooShort) return `needs at least ${counted(minLength, 'character')}`;
  if (type.startsWith('date')) return 'must be a date with a year of four digits';
  if (validity.badInput || validity.rangeUnderflow || validity.rangeOverflow) return `must be ${rangeOf(min, max)}`;
  return validationMessage;
}

const rangeOf = (min: string, max: string): string =>
  ['a number', min && `from ${Number(min).toLocaleString('en')}`, max && `to ${Number(max).toLocaleString('en')}`]
    .filter(Boolean)
    .join(' ');

/** The `ref` of an input with a rule that HTML lacks. @param fault why the value is wrong; false if it is right */
export const invalidIf = (fault: string | false) => (input: HTMLInputElement | null) => input?.setCustomValidity(fault || '');

/** Puts the label before a message that continues it, such as `must be an email address`. */
export function sentenceOf(label: ReactNode, message: string): string {
  const sentence = typeof label === 'string' && /^[a-z]/.test(message) ? `${label} ${message}` : message;
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
