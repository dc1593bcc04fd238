import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useContext, useState } from 'react';
import { api, request, shownByForm, type Schemas } from '../../api/client';
import { ConfirmButton } from '../../components/confirm-button';
import { Dimmed } from '../../components/dimmed';
import { Field } from '../../components/field';
import { Form } from '../../components/form';
import { QueryResult } from '../../components/query-result';
import { UnsavedForms } from '../../components/unsaved-forms';
import { LabelChips, labelsQuery } from './label-chips';
import { DraftButtons } from './draft-buttons';

type Color = Schemas['LabelRequest']['color'];
const COLORS: Color[] = ['gray', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'violet', 'pink'];

interface Draft {
  id: number | null;
  name: string;
  color: Color;
}
const NEW: Draft = { id: null, name: '', color: 'gray' };

/** Creates, renames, colors and deletes labels. @param onRenamed receives a label's former name and its new one, undefined if it was deleted */
export function Labels({ onRenamed }: { onRenamed: (from: string, to: string | undefined) => void }) {
  const queries = useQueryClient();
  const list = useQuery(labelsQuery);
  const [draft, setDraft] = useState(NEW);
  /** Changes when the form begins again, with other values. */
  const [begun, setBegun] = useState(0);
  const leave = useContext(UnsavedForms)?.leave;
  const done = (id: number | null, to?: string) => {
    const from = list.data?.labels.find((label) => label.id === id)?.name;
    if (from !== undefined && from !== to) onRenamed(from, to);
    for (const queryKey of [['labels'], ['inbox']]) void queries.invalidateQueries({ queryKey });
  };
  const save = useMutation({
    mutationFn: ({ id, ...body }: Draft): Promise<unknown> =>
      id === null
        ? request(api.POST('/api/client/labels', { body }))
        : request(api.PUT('/api/client/labels/{id}', { params: { path: { id } }, body })),
    onError: shownByForm,
    onSuccess: (_, { id, name }) => done(id, name),
  });
  const begin = (values: Draft) => {
    setDraft(values);
    setBegun((nth) => nth + 1);
    save.reset();
  };
  const remove = useMutation({
    mutationFn: (id: number) => request(api.DELETE('/api/client/labels/{id}', { params: { path: { id } } })),
    onSuccess: (_, id) => {
      if (id === draft.id) begin(NEW);
      done(id);
    },
  });
  return (
    <Stack>
      <QueryResult query={list} rows={2}>
        {({ labels }) =>
          labels.length === 0 ? (
            <Dimmed>Labels sort conversations, such as “VIP” or “Refund”. The list can be filtered by them.</Dimmed>
          ) : (
            labels.map((label) => (
              <Group key={label.id} wrap="nowrap" justify="space-between">
                <Group style={{ minWidth: 0 }}>
                  <LabelChips names={[label.name]} />
                </Group>
                <Group gap="xs" wrap="nowrap">
                  <Button variant="default" size="compact-sm" aria-label={`Edit ${label.name}`} onClick={() => leave?.(() => begin(label))}>
                    Edit
                  </Button>
                  <ConfirmButton
                    variant="subtle"
                    color="red"
                    size="compact-sm"
                    aria-label={`Delete ${label.name}`}
                    question={`Delete the label ${label.name}?`}
                    consequence="It is removed from all conversations."
                    onConfirm={() => remove.mutate(label.id)}
                  >
                    Delete
                  </ConfirmButton>
                </Group>
              </Group>
            ))
          )
        }
      </QueryResult>
      <Form key={begun} gap="xs" onSubmit={() => save.mutate(draft, { onSuccess: () => begin(NEW) })} error={save.error}>
        <Field name="name">
          <TextInput
            label="Name"
            autoFocus={begun > 0}
            placeholder="VIP"
            maxLength={40}
            required
            value={draft.name}
            onChange={(e) => setDraft({ ...draft, name: e.currentTarget.value })}
          />
        </Field>
        <Field name="color">
          <Select
            label="Color"
            allowDeselect={false}
            data={COLORS}
            value={draft.color}
            onChange={(color) => setDraft({ ...draft, color: color ?? draft.color })}
          />
        </Field>
        <DraftButtons isNew={draft.id === null} isSaving={save.isPending} onCancel={() => begin(NEW)} />
      </Form>
    </Stack>
  );
}
