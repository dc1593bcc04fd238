import { Button, Card, PasswordInput, Switch, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useFormChanges } from '../../api/use-form-changes';
import { api, request, notifySuccess, type Schemas } from '../../api/client';
import { NumberField } from '../../components/number-field';
import { Form } from '../../components/form';

/** Describes the key field. The gateway removes a stored key when the model's URL moves to another host. */
function keyHint({ has_api_key, base_url }: Schemas['AutoReply'], wanted: string | null): string {
  if (!has_api_key) return 'Not set.';
  return originOf(wanted) === originOf(base_url)
    ? 'Set. It is never shown.'
    : 'The stored key is for the previous URL and will be removed. Enter the key for the new one.';
}

const originOf = (url: string | null): string | null => (url !== null && URL.canParse(url) ? new URL(url).origin : url);

export function AutoReplyForm({ settings }: { settings: Schemas['AutoReply'] }) {
  const queries = useQueryClient();
  const { draft, set, changes, done } = useFormChanges(settings);
  const [key, setKey] = useState('');
  const save = useMutation({
    mutationFn: (sent: typeof changes) => request(api.PUT('/api/client/auto-reply', { body: { ...sent, ...(key && { api_key: key }) } })),
    onSuccess: async ({ message }, sent) => {
      notifySuccess(message);
      setKey('');
      await queries.invalidateQueries({ queryKey: ['auto-reply'] });
      done(sent);
    },
  });
  return (
    <Card withBorder>
      <Form onSubmit={() => save.mutate(changes)}>
        <Switch
          label="Reply to customers automatically"
          checked={draft.enabled}
          onChange={(e) => set({ enabled: e.currentTarget.checked })}
        />
        <Textarea
          label="Instructions"
          description="Who the model speaks for, what it knows and what it must not promise"
          autosize
          minRows={5}
          value={draft.instructions}
          onChange={(e) => set({ instructions: e.currentTarget.value })}
        />
        <TextInput label="Model" value={draft.model} onChange={(e) => set({ model: e.currentTarget.value })} />
        <TextInput
          label="Model URL"
          description="Base URL of an OpenAI-compatible API; leave it empty to use this installation’s"
          value={draft.base_url ?? ''}
          onChange={(e) => set({ base_url: e.currentTarget.value || null })}
        />
        <PasswordInput
          label="Model API key"
          description={keyHint(settings, draft.base_url)}
          value={key}
          onChange={(e) => setKey(e.currentTarget.value)}
        />
        <NumberField label="Reply limit (24 hours)" min={0} value={draft.daily_limit} onChange={(value) => set({ daily_limit: value })} />
        <NumberField
          label="Pause after an agent replies (minutes)"
          min={0}
          value={draft.quiet_when_agent_active_minutes}
          onChange={(value) => set({ quiet_when_agent_active_minutes: value })}
        />
        <Switch
          label="Show customers that a reply is being written"
          description="Also marks their message as read"
          checked={draft.show_typing}
          onChange={(e) => set({ show_typing: e.currentTarget.checked })}
        />
        <Button type="submit" loading={save.isPending}>
          Save
        </Button>
      </Form>
    </Card>
  );
}
