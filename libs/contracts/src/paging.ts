import { Type } from '@sinclair/typebox';
import { described, IsoTime, Nullable } from './fields';

/** Maximum number of characters of a cursor. The message log's has two message ids of up to 512 characters, escaped and encoded twice. */
export const MAX_CURSOR = 4_000;
export const INVALID_CURSOR = 'is not valid: pass next_cursor from the previous page, or omit it for the first page';

/** A page: its maximum size, and the cursor of the previous page. Only the service that made the cursor reads it. */
export const PageRequest = {
  limit: Type.Integer({ minimum: 1, maximum: 100 }),
  cursor: Nullable(Type.String({ maxLength: MAX_CURSOR })),
};
/** Null after the last page. */
export const NextCursor = described(Nullable(Type.String()), 'The `cursor` of the next page; null on the last one.');

/** The cursor behind each row of a page, for a list that merges pages of several services. */
export const RowCursors = Type.Array(Type.String());
/** Both included. */
export const Period = { from: Type.Optional(IsoTime), to: Type.Optional(IsoTime) };
