export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/** Rejects with DeadlineExceeded when the work takes longer. The work itself goes on: its caller makes sure that it has no effect. */
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
