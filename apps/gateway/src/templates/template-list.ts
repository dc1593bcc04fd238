import { Readable } from 'node:stream';
import type { ListTemplates, RequestOf } from '@mgw/contracts';
import type { FastifyReply } from 'fastify';
import { ByteBudget, untilClosed } from '../http/byte-budget';
import { holderOf } from '../http/caller';

/** Templates in one response of the template service: the largest have tens of kilobytes each. */
const PAGE = 25;
/** Memory of a list that is being streamed: one page, parsed and as text. */
const PAGE_BYTES = 1.5 * 1024 * 1024;
const lists = new ByteBudget(8 * PAGE_BYTES, 4 * PAGE_BYTES);

type Place = Pick<RequestOf<typeof ListTemplates>, 'limit' | 'cursor'>;
interface Page {
  templates: unknown[];
  next_cursor?: string | null;
}

/**
 * All pages of a list of templates as one (platform §3.1: 6,000 and more). A long list is streamed page by page as the reader takes it,
 * so that no more than a page is in memory. Each page begins behind the previous one, so the list ends even while a sync changes it.
 */
export async function templateList<P extends Page>(
  reply: FastifyReply,
  read: (place: Place) => Promise<P>,
): Promise<Omit<P, 'next_cursor'>> {
  const { next_cursor, ...first } = await read({ limit: PAGE, cursor: null });
  if (!next_cursor) return first;
  untilClosed(reply.raw, lists.take(holderOf(reply.request), PAGE_BYTES));
  void reply.type('application/json; charset=utf-8');
  // The response's schema describes the text; Fastify sends a stream as it is.
  return Readable.from(textOf(first as unknown as Page, next_cursor, read), { objectMode: false }) as unknown as Omit<P, 'next_cursor'>;
}

/** The members of the first page in their order, with the templates of all pages. */
async function* textOf({ templates, ...others }: Page, cursor: string, read: (place: Place) => Promise<Page>): AsyncGenerator<string> {
  const members = JSON.stringify(others).slice(1, -1);
  yield `{${members}${members === '' ? '' : ','}"templates":[`;
  yield* joined(templates, '');
  let separator = templates.length > 0 ? ',' : '';
  for (let next: string | null | undefined = cursor; next;) {
    const page = await read({ limit: PAGE, cursor: next });
    yield* joined(page.templates, separator);
    if (page.templates.length > 0) separator = ',';
    next = page.next_cursor;
  }
  yield ']}';
}

function* joined(templates: unknown[], separator: string): Generator<string> {
  for (const [i, template] of templates.entries()) yield (i === 0 ? separator : ',') + JSON.stringify(template);
}
