import { InputError } from './api/input-error';

/** Neither the code nor the gateway responded. */
export class UnreachableError extends InputError {}

/**
 * Loads the code of a page. The router reloads the whole window once when code is missing, because a new version may have replaced it; while the
 * gateway cannot be reached, that would leave the browser's own error page.
 */
export async function loadPage<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const isReachable = await fetch('/icon.svg', { cache: 'no-store' }).then(
      ({ ok }) => ok,
      () => false,
    );
    throw isReachable ? error : new UnreachableError('The gateway did not respond.', { cause: error });
  }
}
