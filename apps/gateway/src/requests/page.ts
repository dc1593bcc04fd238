import { applyDecorators } from '@nestjs/common';
import { Matches } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { INVALID_CURSOR, MAX_CURSOR } from '@mgw/contracts';
import { IsNumberText, Optional } from './field-rules';
import { IsZonedDatetime } from './zoned-datetime';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;
/** Base64url. */
const CURSOR = new RegExp(`^[\\w-]{1,${MAX_CURSOR}}$`);

export const IsLimit = (description = `The most entries of a page; ${DEFAULT_LIMIT} by default.`) =>
  applyDecorators(JSONSchema({ description }), Optional(IsNumberText(1, MAX_LIMIT)));
export const IsCursor = () =>
  applyDecorators(
    JSONSchema({ description: '`next_cursor` of the previous page; without it comes the first page.' }),
    Optional(Matches(CURSOR, { message: INVALID_CURSOR })),
  );

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
  @JSONSchema({ description: 'Entries of this time or later.' })
  @Optional(IsZonedDatetime())
  from?: string;

  @JSONSchema({ description: 'Entries of this time or earlier.' })
  @Optional(IsZonedDatetime())
  to?: string;
}

export function periodOf({ from, to }: PeriodQuery): { from?: string; to?: string } {
  return {
    ...(from !== undefined && { from: new Date(from).toISOString() }),
    ...(to !== undefined && { to: new Date(to).toISOString() }),
  };
}
