import { Button, Checkbox, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changed } from '../../api/use-form-changes';
import { api, request, notifySuccess, shownByForm } from '../../api/client';
import { keyOfRequest, newIdempotencyKey } from '../../api/idempotency-key';
import { type Webhook, type EventName, DEFAULT_EVENTS, EVENT_CAUSES, EVENTS } from './webhook';
import { SecretField } from './secret-field';
import { Field } from '../../components/field';
import { Form } from '../../components/form';

export function WebhookForm({ webhook, done }: { webhook: Webhook | null; done: () => void }) {
  const queries = useQueryClient();
  const [name, setName] = useState(webhook?.name ?? '');
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [events, setEvents] = useState<EventName[]>((webhook?.events ?? [...DEFAULT_EVENTS]) as EventName[]);
  const [secret, setSecret] = useState('');
  const [seed] = useState(newIdempotencyKey);
  const [dropSecret, setDropSecret] = useState(false);
  const [keepOldMinutes, setKeepOldMinutes] = useState(60);
  const save = useMutation({
    mutationFn: async () => {
      const fields = { name, url, events };
      if (webhook === null) {
        const body = { ...fields, ...(secret && { secret }) };
        await request(api.POST('/api/client/webhooks', { params: { header: { 'Idempotency-Key': keyOfRequest(seed, body) } }, body }));
      } else {
        const replaced = secret && { secret, ...(webhook.has_secret && { keep_old_minutes: keepOldMinutes }) };
        const before = { name: webhook.name, url: webhook.url, events: webhook.events as EventName[] };
        await request(
          api.PUT('/api/client/webhooks/{id}', {
            params: { path: { id: webhook.id } },
            body: { ...changed(before, fields), ...(dropSecret ? { secret: null } : replaced) },
          }),
        );
      }
    },
    onError: shownByForm,
    onSuccess: () => {
      notifySuccess('The webhook was saved.');
      void queries.invalidateQueries({ queryKey: ['webhooks'] });
    },
  });
  return (
    <Form onSubmit={() => save.mutate(undefined, { onSuccess: done })} error={save.error}>
      <Field name="name">
        <TextInput label="Name" required value={name} onChange={(e) => setName(e.currentTarget.value)} />
      </Field>
      <Field name="url">
        <TextInput
          label="Address"
          required
          placeholder="https://crm.example.com/whatsapp"
          value={url}
          onChange={(e) => setUrl(e.currentTarget.value)}
        />
      </Field>
      <Field name="events">
        <Checkbox.Group label="Events" value={events} onChange={(value) => setEvents(value as EventName[])}>
          <Stack gap={6} mt={4}>
            {EVENTS.map((event) => (
              <Checkbox key={event} value={event} label={event} description={EVENT_CAUSES[event]} />
            ))}
          </Stack>
        </Checkbox.Group>
      </Field>
      <SecretField
        hasSecret={webhook?.has_secret ?? false}
        secret={secret}
        setSecret={setSecret}
        keepOldMinutes={keepOldMinutes}
        setKeepOldMinutes={setKeepOldMinutes}
        drop={dropSecret}
        setDrop={setDropSecret}
      />
      <Button type="submit" loading={save.isPending}>
        Save
      </Button>
    </Form>
  );
}
