import { ERRORS, type ErrorCode } from '@mgw/contracts';
import { INTERNAL_ONLY } from '../errors/error.filter';
import { ERRORS_PATH } from '../errors/help-link';
import { errorBody } from '../errors/error-bodies';
import { ERROR_WORDS } from '../errors/error-words';
import { htmlPage } from './html-page';

/** As far as the pages read it. */
export interface ApiDocument {
  paths: Record<string, Record<string, { operationId: string; tags: [string]; responses: Record<string, object> }>>;
}
interface Source {
  status: string;
  endpoint: string;
  reference: string;
}

const CODES = Object.keys(ERRORS) as ErrorCode[];
const UNCHANGED = 'The same request gets the same answer until something has changed.';

/** Pages of the whole error catalogue by their paths. @param document the API’s, which knows who answers with what */
export function errorPages(document: ApiDocument): Map<string, string> {
  const sources = sourcesOf(document);
  const pages = CODES.map((code): [string, string] => [`${ERRORS_PATH}/${code}`, htmlPage(code, errorPage(code, sources.get(code) ?? []))]);
  return new Map([[ERRORS_PATH, htmlPage('errors', listPage())], ...pages]);
}

function listPage(): string {
  const rows = CODES.map((code) => {
    const { status, retryable } = ERRORS[code];
    return `<tr><td>${linkTo(code)}</td><td>${status}</td><td>${retryable ? 'yes' : 'no'}</td><td>${inline(ERROR_WORDS[code].meaning)}</td></tr>`;
  });
  return `<main>
<h1>Errors</h1>
<p>${inline(
    'Every error is `{success: false, error, error_code, …}`: decide on `error_code`, show `error` to people. Its header `Link` leads to its page. ' +
      'Only the 429 of the limits per minute is `{error, retry_after_seconds}` on `/api/v1`.',
  )}</p>
<table>
<thead><tr><th>error_code</th><th>Status</th><th>Again?</th><th>Meaning</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</main>`;
}

function errorPage(code: ErrorCode, sources: Source[]): string {
  const { meaning, remedy, retry = UNCHANGED } = ERROR_WORDS[code];
  const statuses = new Set([String(ERRORS[code].status), ...sources.map(({ status }) => status)]);
  return `<main>
<h1><code>${code}</code></h1>
<p>${inline(meaning)}</p>
<table>
<tbody>
<tr><th scope="row">Status</th><td>${[...statuses].sort().join(', ')}</td></tr>
<tr><th scope="row">What to do</th><td>${inline(remedy)}</td></tr>
<tr><th scope="row">Again?</th><td>${ERRORS[code].retryable ? 'Yes.' : 'Not by itself.'} ${inline(retry)}</td></tr>
</tbody>
</table>
<h2>Example</h2>
${examplesOf(code)}
<h2>Where it comes from</h2>
${sources.length === 0 ? '<p>No endpoint in particular.</p>' : `<ul>\n${sources.map(sourceItem).join('\n')}\n</ul>`}
<p><a href="${ERRORS_PATH}">All errors</a></p>
</main>`;
}

function examplesOf(code: ErrorCode): string {
  if (INTERNAL_ONLY.has(code)) return `<p>The caller is told ${linkTo('INTERNAL')}.</p>`;
  const bodies = code === 'RATE_LIMITED' ? [errorBody(code, true), errorBody(code, false)] : [errorBody(code, false)];
  return bodies.map(({ examples: [body] }) => `<pre>${escaped(JSON.stringify(body, null, 2))}</pre>`).join('\n');
}

const sourceItem = ({ status, endpoint, reference }: Source) =>
  `<li>${status}: <a href="${escaped(reference)}"><code>${escaped(endpoint)}</code></a></li>`;

/** Who answers with which error, as the document says. A `default` stands for defects, of status 500. */
function sourcesOf({ paths }: ApiDocument): Map<string, Source[]> {
  const sources = new Map<string, Source[]>();
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { operationId, tags, responses }] of Object.entries(methods))
      for (const [status, response] of Object.entries(responses))
        for (const [, code = ''] of JSON.stringify(response).matchAll(/#\/components\/schemas\/(?:REST_)?([A-Z_]+)"/g))
          sources.set(code, [
            ...(sources.get(code) ?? []),
            {
              status: status === 'default' ? '500' : status,
              endpoint: `${method.toUpperCase()} ${path}`,
              // As Swagger UI names the places of its page.
              reference: `/docs#/${encodeURIComponent(tags[0])}/${operationId}`,
            },
          ]);
  return sources;
}

const linkTo = (code: ErrorCode): string => `<a href="${ERRORS_PATH}/${code}"><code>${code}</code></a>`;
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
/** What stands in backticks is code. */
const inline = (text: string): string => escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');
