import { notifications } from '@mantine/notifications';
import {
  MutationCache,
  QueryCache,
  QueryClient,
  type DefaultedQueryObserverOptions,
  type Query,
  type QueryKey,
  type QueryObserverOptions,
} from '@tanstack/react-query';
import createClient from 'openapi-fetch';
import { InputError } from './input-error';
import type { components, paths } from './schema';

export type Schemas = components['schemas'];

export type Account = Schemas['ACCOUNT_REQUIRED']['accounts'][number];

/** An error response of the API. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: { field: string; message: string }[],
    readonly hint: string | undefined,
    readonly requestId: string | null,
    /** Only of ACCOUNT_REQUIRED. */
    readonly accounts: Account[] = [],
    /** The time after which the request may be repeated, in milliseconds; 0 if the response has none. */
    readonly retryAfterMs = 0,
  ) {
    super(message);
  }
}

/** Longest wait for a response, in milliseconds. The gateway itself responds within 35 seconds. */
export const RESPONSE_WITHIN_MS = 60_000;
/** The slowest line that a body may take longer for: 5 kB a second. */
const BYTES_PER_MS = 5;

/** Ends a request that gets no response: a network or a gateway that stands still would leave the page waiting without an end (decision 729). */
async function fetchInTime(wanted: Request): Promise<Response> {
  const control = new AbortController();
  const abort = () => control.abort();
  // The signal below replaces that of the request, with which the palette ends a search for an earlier text.
  wanted.signal.addEventListener('abort', abort);
  const bytes = wanted.method === 'GET' ? 0 : (await wanted.clone().arrayBuffer()).byteLength;
  const late = setTimeout(abort, RESPONSE_WITHIN_MS + bytes / BYTES_PER_MS);
  const response = await fetch(wanted, { signal: control.signal });
  // The recipients of a broadcast may take minutes over a slow line.
  if (response.headers.get('content-type')?.startsWith('text/csv')) clearTimeout(late);
  return response;
}

const client = createClient<paths, 'application/json'>({ baseUrl: '/', fetch: fetchInTime });

interface FetchResult<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** @throws ApiError for every response but a success */
export async function request<T>(call: Promise<FetchResult<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (data !== undefined) return data;
  const body = (error ?? {}) as {
    error?: string;
    error_code?: string;
    hint?: string;
    details?: { field: string; message: string }[];
    accounts?: Account[];
  };
  throw new ApiError(
    response.status,
    body.error_code ?? 'INTERNAL',
    body.error ?? 'The server sent an unexpected response.',
    body.details ?? [],
    body.hint,
    response.headers.get('x-request-id'),
    body.accounts,
    // A proxy may respond with a date, which becomes NaN.
    Number(response.headers.get('retry-after')) * 1_000 || 0,
  );
}

/** After this time without input, requests are the page's own and do not extend the session (spec §10: 12 idle hours). */
const ATTENDED_MS = 60_000;
let touchedAt = Date.now();
for (const touch of ['pointerdown', 'keydown', 'wheel', 'touchmove'])
  window.addEventListener(touch, () => (touchedAt = Date.now()), { capture: true, passive: true });
client.use({
  onRequest: ({ request }) => {
    if (Date.now() - touchedAt > ATTENDED_MS) request.headers.set('x-unattended', '1');
    // The gateway takes no other POST, even without a body, so that forms of other sites have no effect.
    if (request.method === 'POST' && !request.headers.has('content-type')) request.headers.set('content-type', 'application/json');
  },
});

export const api = client;

/** A 401 opens the login page, which returns here afterwards; a person who has to set up two-step login gets to their account. */
function endOfSession(error: unknown): void {
  const { pathname, search } = window.location;
  if (error instanceof ApiError && error.code === 'TOTP_SETUP_REQUIRED' && pathname !== '/account')
    return window.location.assign('/account');
  if (!isLoggedOut(error) || pathname === '/login') return;
  const here = pathname + search;
  window.location.replace(here === '/' ? '/login' : `/login?next=${encodeURIComponent(here)}`);
}

/** Whether no resource has the id of the request, which another try does not change. */
export const isGone = (error: unknown): boolean => error instanceof ApiError && error.code === 'NOT_FOUND';

/** The `refetchInterval` of a query for one resource: it ends when the resource is gone. */
export const untilGone =
  (everyMs: number) =>
  ({ state }: { state: { error: unknown } }): number | false =>
    isGone(state.error) ? false : everyMs;

/** Whether the same request may succeed later. */
export const mayPass = (error: unknown): boolean => !(error instanceof ApiError) || error.status >= 500 || error.status === 429;

/** The time until a failed query is loaded again by itself, in milliseconds. */
export const RELOAD_MS = 10_000;
/** The longest wait that a page takes from a response, in milliseconds: the person looks at its error meanwhile. */
const MAX_WAIT_MS = 60_000;

/** The time for which the response of a failed request says to wait, in milliseconds. */
const waitAfter = (error: unknown): number => (error instanceof ApiError ? Math.min(error.retryAfterMs, MAX_WAIT_MS) : 0);

/** The time until something that failed is loaded again, in milliseconds. */
export const reloadAfter = (error: unknown): number => Math.max(RELOAD_MS, waitAfter(error));

/** The `refetchInterval` of a query that does not refresh: if a service does not respond, the page recovers with it. */
export const untilLoaded = ({ state: { error } }: { state: { error: unknown } }): number | false =>
  error !== null && mayPass(error) && RELOAD_MS;

export const isLoggedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

/** Whether the last response said to wait longer than until now. */
const mustWait = ({ state: { error, errorUpdatedAt } }: Query): boolean => Date.now() < errorUpdatedAt + waitAfter(error);

/** Nothing but a person's own request repeats a query earlier than its last response permits. */
class Queries extends QueryClient {
  override defaultQueryOptions<F, E, D, Q, K extends QueryKey, P = never>(
    options: QueryObserverOptions<F, E, D, Q, K, P> | DefaultedQueryObserverOptions<F, E, D, Q, K>,
  ): DefaultedQueryObserverOptions<F, E, D, Q, K> {
    const defaulted = super.defaultQueryOptions(options);
    const { refetchInterval } = defaulted;
    if (options === defaulted || !refetchInterval) return defaulted;
    const intervalOf = (query: Query<F, E, Q, K>) => {
      const every = typeof refetchInterval === 'function' ? refetchInterval(query) : refetchInterval;
      return every && Math.max(every, waitAfter(query.state.error));
    };
    return { ...defaulted, refetchInterval: intervalOf };
  }

  override refetchQueries(...[filters, options]: Parameters<QueryClient['refetchQueries']>): Promise<void> {
    const predicate = (query: Query) => !mustWait(query) && (filters?.predicate?.(query) ?? true);
    return super.refetchQueries({ ...filters, predicate }, options);
  }

  /** Waits for a further page of a list that loads, because a refresh would cancel the load and nobody would begin it again. */
  override async invalidateQueries(...[filters, options]: Parameters<QueryClient['invalidateQueries']>): Promise<void> {
    for (;;) {
      const loading = this.getQueryCache()
        .findAll(filters)
        .filter(({ state }) => state.fetchStatus === 'fetching' && state.fetchMeta?.fetchMore);
      if (loading.length === 0) return super.invalidateQueries(filters, options);
      await Promise.allSettled(loading.map(({ promise }) => promise));
    }
  }
}

/** Requests that no component watches any more, and their errors. */
const unwatched = new WeakSet<object>();

const mutationCache = new MutationCache({
  onError: (error, _variables, _result, mutation) => {
    endOfSession(error);
    if (unwatched.has(mutation)) unwatched.add(error);
  },
});
mutationCache.subscribe((event) => {
  if (event.type === 'observerRemoved') unwatched.add(event.mutation);
});

export const queries = new Queries({
  queryCache: new QueryCache({ onError: endOfSession }),
  mutationCache,
  defaultOptions: {
    queries: {
      networkMode: 'always',
      staleTime: 2_000,
      refetchOnReconnect: 'always',
      refetchInterval: untilLoaded,
      // A request that waited in vain waits once, so that the page shows it within a minute; so does a long wait that a response asks for.
      retry: (count, error) => mayPass(error) && error.name !== 'AbortError' && waitAfter(error) <= RELOAD_MS && count < 2,
      retryDelay: (count, error) => Math.max(1_000 * 2 ** count, waitAfter(error)),
    },
    // Without a network an action fails at once. A queued action would run hours later.
    mutations: { networkMode: 'always', onError: (error) => notifyError(error) },
  },
});

/** Shows an error with its request id, which leads the operator to the log line. */
export function notifyError(error: unknown): void {
  const show = (title: string, message: string) => notifications.show({ color: 'red', title, message, autoClose: 8_000 });
  if (error instanceof InputError) return void show(error.message, '');
  const known = error instanceof ApiError ? error : null;
  const details = [known?.hint, known?.requestId && `Request ${known.requestId}`].filter(Boolean).join(' · ');
  show(known?.message ?? 'The server did not respond.', details || 'Try again in a moment.');
}

/** The `onError` of a request whose form shows its error. If the person left the form, a notice shows it (decision 753). */
export function shownByForm(error: Error): void {
  if (unwatched.has(error)) notifyError(error);
}

export function notifySuccess(message: string): void {
  notifications.show({ color: 'green', title: message, message: '', autoClose: 3_000 });
}
