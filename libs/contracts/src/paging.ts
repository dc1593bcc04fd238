import { Type } from '@sinclair/typebox';
import { characters, IsoTime, Nullable } from './fields';

/** A page: its maximum size, and the cursor of the previous page. Only the service that made the cursor reads it. */
export const PageRequest = {
  limit: Type.Integer({ minimum: 1, maximum: 100 }),
  cursor: Nullable(characters(500)),
};
/** Null after the last page. */
export const NextCursor = Nullable(Type.String());

/** The cursor behind each row of a page, for a list that merges pages of several services. */
export const RowCursors = Type.Array(Type.String());
/** Both included. */
export const Period = { from: Type.Optional(IsoTime), to: Type.Optional(IsoTime) };
