import { DatabaseError } from 'pg';

/** Classes of data exceptions, violated constraints and exceeded limits, such as an index entry that is too long. */
const ABOUT_VALUES = /^(22|23|54)/;

/** Whether PostgreSQL refused the values of a statement. A retry with the same values fails too. */
export function isAboutValues(error: unknown): boolean {
  return error instanceof DatabaseError && ABOUT_VALUES.test(error.code ?? '');
}
