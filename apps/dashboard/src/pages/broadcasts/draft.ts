import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { keptValue } from '../../api/kept-value';
import { useMe } from '../../api/session';
import type { Mapping } from './mapping';
import type { RecipientsTable } from './recipients-table';

/** A broadcast that a person composes. It outlives visits of other pages and, with all but the longest lists, a reload. */
export interface Draft {
  name: string;
  /** Name and language, as `order_update/en`. */
  template: string | null;
  /** A pasted list; a file has its name instead, because a text field is slow with megabytes. */
  text: string;
  file: string | null;
  table: RecipientsTable | null;
  mapping: Mapping;
  /** Mappings of templates that were chosen before, by name. */
  others?: Record<string, Mapping>;
  /** The local time in the zone of the business, empty while it is being typed; null to send at once. */
  startsAt: string | null;
  /** Counts the changes of the messages, so that a check is about one list. */
  version: number;
}

const EMPTY: Draft = { name: '', template: null, text: '', file: null, table: null, mapping: {}, startsAt: null, version: 0 };
const KEY = ['broadcast-draft'];

/**
 * Draws the components that show the draft. The query does so after a moment, in which a field would have its old value again: without the
 * last letter, and with its caret at the end.
 */
const shownBy = new Set<() => void>();

export function useDraft() {
  const queries = useQueryClient();
  const kept = keptValue<Draft>(useMe().user.id, 'broadcast');
  const { data: draft = EMPTY } = useQuery<Draft>({
    queryKey: KEY,
    queryFn: skipToken,
    initialData: () => kept.read() ?? EMPTY,
    staleTime: Infinity,
    gcTime: Infinity,
  });
  const [, draw] = useState({});
  useEffect(() => {
    const again = () => draw({});
    shownBy.add(again);
    return () => void shownBy.delete(again);
  }, []);
  return {
    draft,
    /** Whether it holds anything that a person would miss. */
    isEmpty: draft.name === '' && draft.template === null && draft.table === null && draft.text === '',
    change: (change: Partial<Omit<Draft, 'version'>>) => {
      const { version, ...now } = queries.getQueryData<Draft>(KEY) ?? EMPTY;
      const isOfMessages = 'template' in change || 'table' in change || 'mapping' in change;
      const changed = { ...now, ...change, version: isOfMessages ? version + 1 : version };
      queries.setQueryData<Draft>(KEY, changed);
      for (const again of shownBy) again();
      if (!kept.write(changed)) kept.write({ ...changed, table: null, text: '', file: null });
    },
    /** Clears it unless it was changed since this component was gone. */
    clear: () => {
      if (queries.getQueryData(KEY) !== draft) return;
      queries.setQueryData<Draft>(KEY, (now) => ({ ...EMPTY, version: (now?.version ?? 0) + 1 }));
      kept.forget();
    },
  };
}
