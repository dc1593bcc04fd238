import { respondedWithin } from '@mgw/deadlines';

export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/** Rejects with DeadlineExceeded if the work takes longer. The work continues: the caller must prevent its effects. */
export function within<T>(ms: number, work: () => Promise<T>): Promise<T> {
  return respondedWithin(ms, work(), () => new DeadlineExceeded(`took longer than ${ms} ms`));
}
