import type { ListTemplates, RequestOf } from '@mgw/contracts';

/** One answer between services holds so many: the largest have tens of kilobytes. */
const PAGE = 50;

type Place = Pick<RequestOf<typeof ListTemplates>, 'limit' | 'cursor'>;
interface Page {
  templates: unknown[];
  next_cursor?: string | null;
}

/**
 * All pages of a list of templates as one (platform §3.1: 6,000 and more); what else an answer says is as the first page has it.
 * Each page begins behind the one before, so there is an end also while a sync changes the list.
 */
export async function wholeList<P extends Page>(read: (place: Place) => Promise<P>): Promise<Omit<P, 'next_cursor'>> {
  const { next_cursor, ...whole } = await read({ limit: PAGE, cursor: null });
  let cursor = next_cursor;
  while (cursor) {
    const page = await read({ limit: PAGE, cursor });
    whole.templates.push(...page.templates);
    cursor = page.next_cursor;
  }
  return whole;
}
