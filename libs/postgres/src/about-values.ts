import { DatabaseError } from 'pg';

/** Data exceptions and violated constraints, and what exceeds a limit, such as an index entry that is too long. */
const ABOUT_VALUES = /^(22|23|54)/;

/** Whether PostgreSQL refused what a statement was given: the same values will be refused again, others need not be. */
export function isAboutValues(error: unknown): boolean {
  return error instanceof DatabaseError && ABOUT_VALUES.test(error.code ?? '');
}
