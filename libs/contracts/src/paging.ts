import { Type } from '@sinclair/typebox';
import { characters, Nullable } from './fields';

/** Of a page: how many at most, and where the one before ended; the cursor is made and read by the answering service alone. */
export const PageRequest = {
  limit: Type.Integer({ minimum: 1, maximum: 100 }),
  cursor: Nullable(characters(500)),
};
/** Null after the last page. */
export const NextCursor = Nullable(Type.String());
