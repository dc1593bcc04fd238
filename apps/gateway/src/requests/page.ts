import { Matches } from 'class-validator';
import { INVALID_CURSOR, MAX_CURSOR } from '@mgw/contracts';
import { Optional } from './field-rules';
import { IsZonedDatetime } from './zoned-datetime';

const DEFAULT_LIMIT = 50;
/** Base64url. */
const CURSOR = new RegExp(`^[\\w-]{1,${MAX_CURSOR}}$`);

export const IsLimit = () => Optional(Matches(/^([1-9]\d?|100)$/, { message: 'limit must be a whole number from 1 to 100' }));
export const IsCursor = () => Optional(Matches(CURSOR, { message: INVALID_CURSOR }));

/** The query of a list with pages: `?limit=1..100&cursor=<next_cursor of the previous page>`. */
export class PageQuery {
  @IsLimit()
  limit?: string;

  @IsCursor()
  cursor?: string;
}

export function pageOf({ limit, cursor }: PageQuery): { limit: number; cursor: string | null } {
  return { limit: limit === undefined ? DEFAULT_LIMIT : Number(limit), cursor: cursor ?? null };
}

/** A list with pages, of a period. */
export class PeriodQuery extends PageQuery {
  /** The time of the oldest entry; included. */
  @Optional(IsZonedDatetime())
  from?: string;

  /** The time of the newest entry; included. */
  @Optional(IsZonedDatetime())
  to?: string;
}

export function periodOf({ from, to }: PeriodQuery): { from?: string; to?: string } {
  return {
    ...(from !== undefined && { from: new Date(from).toISOString() }),
    ...(to !== undefined && { to: new Date(to).toISOString() }),
  };
}
