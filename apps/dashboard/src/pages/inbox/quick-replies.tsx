import { Box, Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useContext } from 'react';
import { api, request } from '../../api/client';
import type { QuickReply } from './matching-replies';
import { quickRepliesQuery } from './use-quick-replies';
import { Field } from '../../components/field';
import { Form } from '../../components/form';
import { Dimmed } from '../../components/dimmed';
import { QueryResult } from '../../components/query-result';
import { UnsavedForms } from '../../components/unsaved-forms';
import { DraftButtons } from './draft-buttons';
import { ItemActions } from './item-actions';
import { useDraftForm } from './use-draft-form';
import { variableProblem } from './variable-problem';

const NEW = { id: null as number | null, shortcut: '', text: '' };

/** Lists, writes and deletes quick replies. @param onInsert inserts a text into the reply; undefined while no reply is possible */
export function QuickReplies({ onInsert }: { onInsert: ((text: string) => void) | undefined }) {
  const leave = useContext(UnsavedForms)?.leave;
  const queries = useQueryClient();
  const list = useQuery(quickRepliesQuery);
  const refresh = () => void queries.invalidateQueries({ queryKey: quickRepliesQuery.queryKey });
  const form = useDraftForm({
    empty: NEW,
    save: ({ id, ...body }): Promise<unknown> =>
      id === null
        ? request(api.POST('/api/client/quick-replies', { body }))
        : request(api.PUT('/api/client/quick-replies/{id}', { params: { path: { id } }, body })),
    onSaved: refresh,
  });
  const remove = useMutation({
    mutationFn: ({ id }: QuickReply) => request(api.DELETE('/api/client/quick-replies/{id}', { params: { path: { id } } })),
    onSuccess: (_, { id }) => {
      if (id === form.draft.id) form.clear();
      refresh();
    },
  });
  const problem = variableProblem(form.draft.text);
  return (
    <Stack>
      <QueryResult query={list} rows={2}>
        {({ quick_replies: replies }) =>
          replies.length === 0 ? (
            <Dimmed>Texts that your team sends often. Type / and the shortcut in the reply field to insert one.</Dimmed>
          ) : (
            <Stack className="inbox-items">
              {replies.map((reply) => (
                <Group key={reply.id} gap="xs" justify="flex-end">
                  <Box style={{ flex: '1 1 240px', minWidth: 0 }}>
                    <Text size="sm" fw={600}>
                      /{reply.shortcut}
                    </Text>
                    <Text size="sm" truncate c="dimmed" dir="auto">
                      {reply.text}
                    </Text>
                  </Box>
                  <Group gap="xs" wrap="nowrap">
                    {onInsert && (
                      <Button
                        variant="light"
                        size="compact-sm"
                        aria-label={`Insert ${reply.shortcut}`}
                        onClick={() => leave?.(() => onInsert(reply.text))}
                      >
                        Insert
                      </Button>
                    )}
                    <ItemActions
                      name={reply.shortcut}
                      question={`Delete the quick reply /${reply.shortcut}?`}
                      consequence="Your team can no longer insert it."
                      onEdit={() => form.edit(reply)}
                      onDelete={() => remove.mutate(reply)}
                    />
                  </Group>
                </Group>
              ))}
            </Stack>
          )
        }
      </QueryResult>
      <Form key={form.begun} gap="xs" onSubmit={() => problem === null && form.submit()} error={form.saving.error}>
        <Field name="shortcut">
          <TextInput
            label="Shortcut"
            autoFocus={form.begun > 0}
            placeholder="hours"
            leftSection="/"
            maxLength={32}
            required
            value={form.draft.shortcut}
            onChange={(e) => form.setDraft({ ...form.draft, shortcut: e.currentTarget.value.replace(/[\s/]/g, '') })}
          />
        </Field>
        <Field name="text">
          <Textarea
            label="Text"
            description={'Sent as it is written: a quick reply has no variables such as {{name}}.'}
            error={problem}
            autosize
            minRows={2}
            maxLength={4096}
            required
            value={form.draft.text}
            onChange={(e) => form.setDraft({ ...form.draft, text: e.currentTarget.value })}
          />
        </Field>
        <DraftButtons isNew={form.draft.id === null} isSaving={form.saving.isPending} onCancel={form.clear} />
      </Form>
    </Stack>
  );
}
