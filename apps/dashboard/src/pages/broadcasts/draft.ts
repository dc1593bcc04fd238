import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Mapping } from './mapping';
import type { RecipientsTable } from './recipients-table';

/** A broadcast that a person composes. It outlives a visit of another page, and a reload ends it. */
export interface Draft {
  name: string;
  /** Name and language, as `order_update/en`. */
  template: string | null;
  /** A pasted list; a file has its name instead, because a text field is slow with megabytes. */
  text: string;
  file: string | null;
  table: RecipientsTable | null;
  mapping: Mapping;
  /** The local time in the zone of the business; empty to send at once. */
  startsAt: string;
  /** Counts the changes of the messages, so that a check is about one list. */
  version: number;
}

const EMPTY: Draft = { name: '', template: null, text: '', file: null, table: null, mapping: {}, startsAt: '', version: 0 };
const KEY = ['broadcast-draft'];

export function useDraft() {
  const queries = useQueryClient();
  const { data: draft = EMPTY } = useQuery<Draft>({
    queryKey: KEY,
    queryFn: skipToken,
    initialData: EMPTY,
    staleTime: Infinity,
    gcTime: Infinity,
  });
  return {
    draft,
    change: (change: Partial<Omit<Draft, 'version'>>) =>
      queries.setQueryData<Draft>(KEY, (now = EMPTY) => ({
        ...now,
        ...change,
        version: now.version + ('template' in change || 'table' in change || 'mapping' in change ? 1 : 0),
      })),
    clear: () => queries.setQueryData<Draft>(KEY, (now) => ({ ...EMPTY, version: (now?.version ?? 0) + 1 })),
  };
}
