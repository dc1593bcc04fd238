import { Type } from '@sinclair/typebox';
import { characters, Nullable } from './fields';

/** A page: its maximum size, and the cursor of the previous page. Only the service that made the cursor reads it. */
export const PageRequest = {
  limit: Type.Integer({ minimum: 1, maximum: 100 }),
  cursor: Nullable(characters(500)),
};
/** Null after the last page. */
export const NextCursor = Nullable(Type.String());
