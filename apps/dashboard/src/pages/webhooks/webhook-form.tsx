import { Button, Checkbox, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { changed } from '../../api/use-form-changes';
import { api, request, notifySuccess } from '../../api/client';
import { type Webhook, type EventName, EVENTS } from './webhook';

export function WebhookForm({ webhook, done }: { webhook: Webhook | null; done: () => void }) {
  const [name, setName] = useState(webhook?.name ?? '');
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [events, setEvents] = useState<EventName[]>((webhook?.events ?? [...EVENTS]) as EventName[]);
  const [secret, setSecret] = useState('');
  const [dropSecret, setDropSecret] = useState(false);
  const save = useMutation({
    mutationFn: async () => {
      const fields = { name, url, events };
      const newSecret = secret && { secret };
      if (webhook === null) await request(api.POST('/api/client/webhooks', { body: { ...fields, ...newSecret } }));
      else {
        const before = { name: webhook.name, url: webhook.url, events: webhook.events as EventName[] };
        await request(
          api.PUT('/api/client/webhooks/{id}', {
            params: { path: { id: webhook.id } },
            body: { ...changed(before, fields), ...newSecret, ...(dropSecret && { secret: null }) },
          }),
        );
      }
    },
    onSuccess: () => {
      notifySuccess('The webhook was saved.');
      done();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack>
        <TextInput label="Name" required value={name} onChange={(e) => setName(e.currentTarget.value)} />
        <TextInput
          label="Address"
          required
          placeholder="https://crm.example.com/whatsapp"
          value={url}
          onChange={(e) => setUrl(e.currentTarget.value)}
        />
        <Checkbox.Group label="Events" value={events} onChange={(value) => setEvents(value as EventName[])}>
          <Stack gap={6} mt={4}>
            {EVENTS.map((event) => (
              <Checkbox key={event} value={event} label={event} />
            ))}
          </Stack>
        </Checkbox.Group>
        <TextInput
          label="Signing secret"
          description={
            webhook?.has_secret
              ? 'Set. It is never shown; enter a new one to replace it.'
              : 'Optional. It signs every delivery in X-Service-Signature.'
          }
          value={secret}
          disabled={dropSecret}
          onChange={(e) => setSecret(e.currentTarget.value)}
        />
        {webhook?.has_secret && (
          <Checkbox label="Remove the secret" checked={dropSecret} onChange={(e) => setDropSecret(e.currentTarget.checked)} />
        )}
        <Button type="submit" loading={save.isPending}>
          Save
        </Button>
      </Stack>
    </form>
  );
}
