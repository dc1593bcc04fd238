import type { ListTemplates, RequestOf } from '@mgw/contracts';
import type { FastifyReply } from 'fastify';
import { holderOf } from '../http/caller';
import { PacedStreams } from '../responses/paced-streams';

/** Templates per page of the template service. The largest have tens of kilobytes each: a page takes up to 1.5 MB, parsed and as text. */
const PAGE = 25;
const LISTS = { places: 8, largest: 1 / 2 };
const lists = new PacedStreams('template lists', LISTS);

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
  const page = await read({ limit: PAGE, cursor: null });
  const { next_cursor, ...list } = page;
  if (!next_cursor) return list;
  const text = lists.open(holderOf(reply.request), textOf(page, read));
  void reply.type('application/json; charset=utf-8');
  // The declared type describes the streamed text.
  return text as unknown as Omit<P, 'next_cursor'>;
}

/** The members of the first page, then the templates of all pages. It holds the current page only. */
async function* textOf(page: Page, read: (position: Position) => Promise<Page>): AsyncGenerator<string> {
  yield openingOf(page);
  for (let separator = ''; ;) {
    yield* joined(page.templates, separator);
    if (page.templates.length > 0) separator = ',';
    if (!page.next_cursor) break;
    page = await read({ limit: PAGE, cursor: page.next_cursor });
  }
  yield ']}';
}

function openingOf(page: Page): string {
  const members = JSON.stringify({ ...page, templates: undefined, next_cursor: undefined }).slice(1, -1);
  return `{${members}${members === '' ? '' : ','}"templates":[`;
}

function* joined(templates: unknown[], separator: string): Generator<string> {
  for (const [i, template] of templates.entries()) yield (i === 0 ? separator : ',') + JSON.stringify(template);
}
