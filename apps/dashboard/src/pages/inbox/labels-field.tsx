import { TagsInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, request } from '../../api/client';
import type { Conversation } from './conversation';
import { labelsQuery } from './label-chips';

/** The labels of a conversation. */
export function LabelsField({ conversation: { id, labels } }: { conversation: Pick<Conversation, 'id' | 'labels'> }) {
  const queries = useQueryClient();
  const known = useQuery(labelsQuery);
  // Each write has the whole list, so the next change starts from the wanted list, not from the one that the server last returned.
  const [wanted, setWanted] = useState<string[]>();
  const save = useMutation({
    // One write at a time, so that the last change is written last.
    scope: { id: `labels of ${id}` },
    mutationFn: (names: string[]) =>
      request(api.PATCH('/api/client/conversations/{id}', { params: { path: { id } }, body: { labels: names } })),
    onSettled: (_, __, names) => {
      const reloads = [['inbox'], ['labels']].map((queryKey) => queries.invalidateQueries({ queryKey }));
      void Promise.all(reloads).then(() => setWanted((now) => (now === names ? undefined : now)));
    },
  });
  const shown = wanted ?? labels;
  return (
    <TagsInput
      aria-label="Labels"
      placeholder={shown.length === 0 ? 'Add a label' : undefined}
      size="xs"
      maxTags={20}
      maxLength={40}
      data={(known.data?.labels ?? []).map(({ name }) => name)}
      value={shown}
      onChange={(names) => {
        setWanted(names);
        save.mutate(names);
      }}
    />
  );
}
