import { TagsInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, request } from '../../api/client';
import { useUnsaved } from '../../components/use-unsaved';
import type { Conversation } from './conversation';
import { labelsQuery } from './label-chips';

const MAX_LABELS = 20;

/** The labels of a conversation. */
export function LabelsField({ conversation: { id, labels } }: { conversation: Pick<Conversation, 'id' | 'labels'> }) {
  const queries = useQueryClient();
  const known = useQuery(labelsQuery);
  // The next change starts from the wanted list, not from the one that the server last returned.
  const [wanted, setWanted] = useState<string[]>();
  const save = useMutation({
    // One write at a time, so that the last change is written last.
    scope: { id: `labels of ${id}` },
    // A colleague may change the labels meanwhile.
    mutationFn: (change: { labels: string[]; labels_before: string[] }) =>
      request(api.PATCH('/api/client/conversations/{id}', { params: { path: { id } }, body: change })),
    onSettled: (_, __, { labels: names }) => {
      const reloads = [['inbox'], ['labels']].map((queryKey) => queries.invalidateQueries({ queryKey }));
      void Promise.all(reloads).then(() => setWanted((now) => (now === names ? undefined : now)));
    },
  });
  const [typed, setTyped] = useState('');
  useUnsaved(() => typed.trim() !== '');
  const shown = wanted ?? labels;
  const change = (names: string[]) => {
    setWanted(names);
    save.mutate({ labels: names, labels_before: shown });
  };
  const accept = () => {
    const name = typed.trim();
    const isNew = !shown.some((one) => one.toLowerCase() === name.toLowerCase());
    if (isNew && shown.length >= MAX_LABELS) return;
    setTyped('');
    if (name !== '' && isNew) change([...shown, name]);
  };
  return (
    <TagsInput
      aria-label="Labels"
      placeholder={shown.length === 0 ? 'Add a label' : undefined}
      size="xs"
      maxTags={MAX_LABELS}
      maxLength={40}
      data={(known.data?.labels ?? []).map(({ name }) => name)}
      searchValue={typed}
      onSearchChange={setTyped}
      value={shown}
      onChange={change}
      acceptValueOnBlur={false}
      onBlur={({ currentTarget, relatedTarget }) => {
        // A question whether to discard the text takes the focus and must not save it.
        if (relatedTarget === null || dialogOf(relatedTarget) === dialogOf(currentTarget)) accept();
      }}
    />
  );
}

const dialogOf = (element: Element) => element.closest('[role=dialog]');
