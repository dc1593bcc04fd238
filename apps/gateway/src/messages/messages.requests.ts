import { Matches } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { OutboundType, SentBy } from '@mgw/contracts';
import { isBusinessScopedId, normalizePhone } from '@mgw/phone';
import { IsIdText, IsListFormat, IsOneOf, Optional } from '../requests/field-rules';
import { IsText } from '../requests/is-text';
import { IsCursor, IsLimit, PeriodQuery, type PageQuery } from '../requests/page';
import { IgnoresUnknownFields } from '../requests/request.pipe';
import { IsDayOrTime } from '../requests/zoned-datetime';
import { PERIODS, type PeriodName } from './log-period.store';

const STATUSES = ['sent', 'delivered', 'read', 'failed'] as const;
/** A day of a year with four digits, which every service can parse. */
const DAY = /^[1-9]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

const SENDERS = SentBy.anyOf.map(({ const: name }) => name);
const TYPES = OutboundType.anyOf.map(({ const: name }) => name);

/** The filters of the message log that its counts have too. */
export class CountMessagesQuery {
  /** The last 24 hours, or days of the business's time zone with today. */
  @Optional(IsOneOf(PERIODS))
  period?: PeriodName;

  /** A day of the business's time zone, or a time with its zone; included. Replaces `period`. */
  @Optional(IsDayOrTime())
  from?: string;

  /** A day of the business's time zone, which is included, or a time with its zone, which is not. Replaces `period`. */
  @Optional(IsDayOrTime())
  to?: string;

  @Optional(IsOneOf(SENDERS))
  sent_by?: (typeof SENDERS)[number];

  @Optional(IsOneOf(TYPES))
  type?: (typeof TYPES)[number];

  /** The name of a template. */
  @Optional(IsText(1, 512))
  template?: string;

  /** The key that sent; for a rotated key the first of its rotation. */
  @Optional(IsIdText())
  api_key_id?: string;

  /** WhatsApp's code of the failure, or `other` for failures without one. */
  @Optional(Matches(/^(\d{1,10}|OUTCOME_UNKNOWN|other)$/, { message: 'failure_code must be a code of WhatsApp, OUTCOME_UNKNOWN or other' }))
  failure_code?: string;
}

/** Spec §10. */
export class ListMessagesQuery extends CountMessagesQuery implements PageQuery {
  @IsLimit()
  limit?: string;

  @IsCursor()
  cursor?: string;

  @Optional(IsOneOf(STATUSES))
  status?: (typeof STATUSES)[number];

  /** A phone number, or some of its digits. */
  @Optional(IsText(1, 140))
  phone?: string;

  /** Part of the text, a whole template name, or a whole message id. */
  @Optional(IsText(1, 100))
  q?: string;

  /** `csv` downloads all messages that match, without pages. */
  @IsListFormat()
  format?: 'json' | 'csv';
}

/** More digits are a complete number with its country code. */
const MAX_PART_DIGITS = 11;

const DIRECTIONS = ['in', 'out'] as const;

/** The message log by key (decision 363). `status`, `template` and `api_key_id` find sent messages only. */
@IgnoresUnknownFields()
export class MessageLogQuery extends PeriodQuery {
  @JSONSchema({ description: '`in` from customers or `out` to them; both by default.' })
  @Optional(IsOneOf(DIRECTIONS))
  direction?: (typeof DIRECTIONS)[number];

  @JSONSchema({ description: 'The complete number of a person (`%2B` in place of +), or their business-scoped user id.' })
  @Optional(IsText(1, 140))
  phone?: string;

  @JSONSchema({ description: 'The `delivery_status`; finds sent messages only.' })
  @Optional(IsOneOf(STATUSES))
  status?: (typeof STATUSES)[number];

  @JSONSchema({ description: 'The name of a template; finds sent messages only.' })
  @Optional(IsText(1, 512))
  template?: string;

  @JSONSchema({ description: 'The key that sent; for a rotated key the first of its rotation. Finds sent messages only.' })
  @Optional(IsIdText())
  api_key_id?: string;
}

/** The filters that the log and its counts have in common, as the services take them. */
export function countedFilter({ sent_by, type, template, api_key_id, failure_code }: Omit<CountMessagesQuery, 'period'>) {
  return {
    ...(sent_by !== undefined && { sent_by }),
    ...(type !== undefined && { type }),
    ...(template !== undefined && { template }),
    ...(api_key_id !== undefined && { api_key_id: Number(api_key_id) }),
    ...(failure_code !== undefined && { failure_code }),
  };
}

/** The filters that find a number: as a complete one, and by its digits as part of one; null for what it cannot be. */
export function phonesOf(typed: string | undefined): { phone: string | null; part: string | null } {
  const phone = searchedPhone(typed);
  const digits = (typed ?? '').replace(/\D/g, '');
  if (phone === null || isBusinessScopedId(phone) || digits === '' || digits.length > MAX_PART_DIGITS) return { phone, part: null };
  return { phone: normalizePhone(typed ?? '').ok ? phone : null, part: digits };
}

/** An invalid phone number is searched for as typed, and matches nothing. */
export function searchedPhone(typed: string | undefined): string | null {
  if (typed === undefined) return null;
  // A query parser reads an unencoded + as a space (decision 52).
  const phone = normalizePhone(typed.replace(/^ /, '+'));
  return phone.ok ? phone.value : typed;
}

/** Days in the business's time zone, both included; the last 30 days by default. */
export class UsageQuery {
  @Optional(Matches(DAY, { message: 'from must be a day, YYYY-MM-DD' }))
  from?: string;

  @Optional(Matches(DAY, { message: 'to must be a day, YYYY-MM-DD' }))
  to?: string;
}
