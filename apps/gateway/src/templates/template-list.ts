import { Readable } from 'node:stream';
import type { ListTemplates, RequestOf } from '@mgw/contracts';
import type { FastifyReply } from 'fastify';
import { ByteBudget } from '../http/byte-budget';
import { holderOf } from '../http/caller';
import { untilClosed } from '../http/response-end';

/** Templates per page of the template service. The largest have tens of kilobytes each. */
const PAGE = 25;
/** Memory of a streamed list: one page, parsed and as text. */
const PAGE_BYTES = 1.5 * 1024 * 1024;
const lists = new ByteBudget(8 * PAGE_BYTES, 4 * PAGE_BYTES);

type Position = Pick<RequestOf<typeof ListTemplates>, 'limit' | 'cursor'>;
interface Page {
  templates: unknown[];
  next_cursor?: string | null;
}

/**
 * Joins all pages of the template list into one response; a business can have more than 6,000 templates (platform §3.1). A long list is
 * streamed at the reader's pace, with one page in memory. Each page starts after the previous one, so the list ends even during a sync.
 */
export async function templateList<P extends Page>(
  reply: FastifyReply,
  read: (position: Position) => Promise<P>,
): Promise<Omit<P, 'next_cursor'>> {
  const { next_cursor, ...first } = await read({ limit: PAGE, cursor: null });
  if (!next_cursor) return first;
  untilClosed(reply.raw, lists.take(holderOf(reply.request), PAGE_BYTES));
  void reply.type('application/json; charset=utf-8');
  // The declared type describes the streamed text.
  return Readable.from(textOf(first as unknown as Page, next_cursor, read), { objectMode: false }) as unknown as Omit<P, 'next_cursor'>;
}

/** The members of the first page, then the templates of all pages. */
async function* textOf(
  { templates, ...others }: Page,
  cursor: string,
  read: (position: Position) => Promise<Page>,
): AsyncGenerator<string> {
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
