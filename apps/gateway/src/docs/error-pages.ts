import { ERRORS, type ErrorCode } from '@mgw/contracts';
import { errorBody } from '../errors/error-bodies';
import { ERROR_TEXTS } from '../errors/error-texts';
import { INTERNAL_ONLY } from '../errors/error.filter';
import { ERRORS_PATH } from '../errors/help-link';
import { htmlPage } from './pages';

/** The members of the API's document that the pages read. */
export interface ApiDocument {
  paths: Record<string, Record<string, { operationId: string; tags: [string]; responses: Record<string, object> }>>;
}

const CODES = Object.keys(ERRORS) as ErrorCode[];
const UNCHANGED = 'The same request gets the same response until something has changed.';

/** The pages of the whole error catalogue, by path, and one for an unknown code. @param document the API's, which lists the errors of each endpoint */
export function errorPages(document: ApiDocument): { pages: Map<string, string>; unknown: string } {
  const sources = sourcesByCode(document);
  const errors = CODES.map((code) => {
    const { status, retryable } = ERRORS[code];
    return { code, status: String(status), retryable: retryable ? 'yes' : 'no', meaning: ERROR_TEXTS[code].meaning };
  });
  const list = (unknown: Record<string, string>[]) => htmlPage(ERRORS_PATH, 'errors', 'errors.html', { errors, unknown });
  const pages = new Map([
    [ERRORS_PATH, list([])],
    ...CODES.map((code): [string, string] => [`${ERRORS_PATH}/${code}`, errorPage(code, sources.get(code) ?? [])]),
  ]);
  return { pages, unknown: list([{}]) };
}

function errorPage(code: ErrorCode, sources: Source[]): string {
  const { meaning, remedy, retry = UNCHANGED } = ERROR_TEXTS[code];
  const statuses = new Set([String(ERRORS[code].status), ...sources.map(({ status }) => status)]);
  const isInternal = INTERNAL_ONLY.has(code);
  const bodies = code === 'RATE_LIMITED' ? [errorBody(code, true), errorBody(code, false)] : [errorBody(code, false)];
  return htmlPage(ERRORS_PATH, code, 'error.html', {
    code,
    meaning,
    remedy,
    retry: `${ERRORS[code].retryable ? 'Yes.' : 'Not without a change.'} ${retry}`,
    statuses: [...statuses].sort().join(', '),
    internal: isInternal ? [{}] : [],
    examples: isInternal ? [] : bodies.map(({ examples: [body] }) => ({ body: JSON.stringify(body, null, 2) })),
    unlisted: sources.length === 0 ? [{}] : [],
    sources,
  });
}

type Source = Record<'status' | 'endpoint' | 'reference', string>;

/** The endpoints that return each error. `default` stands for defects, of status 500. */
function sourcesByCode({ paths }: ApiDocument): Map<string, Source[]> {
  const sources = new Map<string, Source[]>();
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { operationId, tags, responses }] of Object.entries(methods))
      for (const [status, response] of Object.entries(responses))
        for (const [, code = ''] of JSON.stringify(response).matchAll(/#\/components\/schemas\/(?:REST_)?([A-Z_]+)"/g)) {
          // The slug that reference.js gives the operation.
          const reference = `/docs#tag/${tags[0].toLowerCase().replaceAll(' ', '-')}/${operationId}`;
          const source = { status: status === 'default' ? '500' : status, endpoint: `${method.toUpperCase()} ${path}`, reference };
          sources.set(code, [...(sources.get(code) ?? []), source]);
        }
  return sources;
}
