import { Box, Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useContext, useState } from 'react';
import { api, request, shownByForm } from '../../api/client';
import type { QuickReply } from './matching-replies';
import { quickRepliesQuery } from './use-quick-replies';
import { Field } from '../../components/field';
import { Form } from '../../components/form';
import { Dimmed } from '../../components/dimmed';
import { QueryResult } from '../../components/query-result';
import { UnsavedForms } from '../../components/unsaved-forms';
import { DraftButtons } from './draft-buttons';
import { variableProblem } from './variable-problem';

const NEW = { id: null as number | null, shortcut: '', text: '' };

/** Lists, writes and deletes quick replies. */
export function QuickReplies() {
  const queries = useQueryClient();
  const list = useQuery(quickRepliesQuery);
  const [draft, setDraft] = useState(NEW);
  /** Changes when the form begins again, with other values. */
  const [begun, setBegun] = useState(0);
  const leave = useContext(UnsavedForms)?.leave;
  const refresh = () => void queries.invalidateQueries({ queryKey: quickRepliesQuery.queryKey });
  const save = useMutation({
    mutationFn: ({ id, ...body }: typeof NEW): Promise<unknown> =>
      id === null
        ? request(api.POST('/api/client/quick-replies', { body }))
        : request(api.PUT('/api/client/quick-replies/{id}', { params: { path: { id } }, body })),
    onError: shownByForm,
    onSuccess: refresh,
  });
  const begin = (values: typeof NEW) => {
    setDraft(values);
    setBegun((nth) => nth + 1);
    save.reset();
  };
  const remove = useMutation({
    mutationFn: ({ id }: QuickReply) => request(api.DELETE('/api/client/quick-replies/{id}', { params: { path: { id } } })),
    onSuccess: (_, { id }) => {
      if (id === draft.id) begin(NEW);
      refresh();
    },
  });
  const problem = variableProblem(draft.text);
  return (
    <Stack>
      <QueryResult query={list} rows={2}>
        {({ quick_replies: replies }) =>
          replies.length === 0 ? (
            <Dimmed>Texts that your team sends often. Type / and the shortcut in the reply field to insert one.</Dimmed>
          ) : (
            replies.map((reply) => (
              <Group key={reply.id} wrap="nowrap" justify="space-between">
                <Box style={{ minWidth: 0 }}>
                  <Text size="sm" fw={600}>
                    /{reply.shortcut}
                  </Text>
                  <Text size="sm" truncate c="dimmed" dir="auto">
                    {reply.text}
                  </Text>
                </Box>
                <Group gap="xs" wrap="nowrap">
                  <Button
                    variant="default"
                    size="compact-sm"
                    aria-label={`Edit ${reply.shortcut}`}
                    onClick={() => leave?.(() => begin(reply))}
                  >
                    Edit
                  </Button>
                  <Button
                    variant="subtle"
                    color="red"
                    size="compact-sm"
                    aria-label={`Delete ${reply.shortcut}`}
                    onClick={() => remove.mutate(reply)}
                  >
                    Delete
                  </Button>
                </Group>
              </Group>
            ))
          )
        }
      </QueryResult>
      <Form
        key={begun}
        gap="xs"
        onSubmit={() => problem === null && save.mutate(draft, { onSuccess: () => begin(NEW) })}
        error={save.error}
      >
        <Field name="shortcut">
          <TextInput
            label="Shortcut"
            autoFocus={begun > 0}
            placeholder="hours"
            leftSection="/"
            maxLength={32}
            required
            value={draft.shortcut}
            onChange={(e) => setDraft({ ...draft, shortcut: e.currentTarget.value.replace(/[\s/]/g, '') })}
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
            value={draft.text}
            onChange={(e) => setDraft({ ...draft, text: e.currentTarget.value })}
          />
        </Field>
        <DraftButtons isNew={draft.id === null} isSaving={save.isPending} onCancel={() => begin(NEW)} />
      </Form>
    </Stack>
  );
}
