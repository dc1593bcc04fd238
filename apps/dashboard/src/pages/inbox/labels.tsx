import { Group, Select, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, request, type Schemas } from '../../api/client';
import { Dimmed } from '../../components/dimmed';
import { Field } from '../../components/field';
import { Form } from '../../components/form';
import { QueryResult } from '../../components/query-result';
import { LabelChips, labelsQuery } from './label-chips';
import { DraftButtons } from './draft-buttons';
import { ItemActions } from './item-actions';
import { useDraftForm } from './use-draft-form';

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
  const done = (id: number | null, to?: string) => {
    const from = list.data?.labels.find((label) => label.id === id)?.name;
    if (from !== undefined && from !== to) onRenamed(from, to);
    for (const queryKey of [['labels'], ['inbox']]) void queries.invalidateQueries({ queryKey });
  };
  const form = useDraftForm<Draft>({
    empty: NEW,
    save: ({ id, ...body }) =>
      id === null
        ? request(api.POST('/api/client/labels', { body }))
        : request(api.PUT('/api/client/labels/{id}', { params: { path: { id } }, body })),
    onSaved: ({ id, name }) => done(id, name),
  });
  const remove = useMutation({
    mutationFn: (id: number) => request(api.DELETE('/api/client/labels/{id}', { params: { path: { id } } })),
    onSuccess: (_, id) => {
      if (id === form.draft.id) form.clear();
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
            <Stack className="inbox-items">
              {labels.map((label) => (
                <Group key={label.id} wrap="nowrap" justify="space-between">
                  <Group style={{ minWidth: 0 }}>
                    <LabelChips names={[label.name]} />
                  </Group>
                  <ItemActions
                    name={label.name}
                    question={`Delete the label ${label.name}?`}
                    consequence="It is removed from all conversations."
                    onEdit={() => form.edit(label)}
                    onDelete={() => remove.mutate(label.id)}
                  />
                </Group>
              ))}
            </Stack>
          )
        }
      </QueryResult>
      <Form key={form.begun} gap="xs" onSubmit={form.submit} error={form.saving.error}>
        <Field name="name">
          <TextInput
            label="Name"
            autoFocus={form.begun > 0}
            placeholder="VIP"
            maxLength={40}
            required
            value={form.draft.name}
            onChange={(e) => form.setDraft({ ...form.draft, name: e.currentTarget.value })}
          />
        </Field>
        <Field name="color">
          <Select
            label="Color"
            allowDeselect={false}
            data={COLORS}
            value={form.draft.color}
            onChange={(color) => form.setDraft({ ...form.draft, color: color ?? form.draft.color })}
          />
        </Field>
        <DraftButtons isNew={form.draft.id === null} isSaving={form.saving.isPending} onCancel={form.clear} />
      </Form>
    </Stack>
  );
}
