export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/** Rejects with DeadlineExceeded if the work takes longer. The work continues: the caller must prevent its effects. */
export async function within<T>(ms: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineExceeded(`took longer than ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work(), expired]);
  } finally {
    clearTimeout(timer);
  }
}
