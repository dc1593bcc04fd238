import { Button, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ApiKey } from '../../api/api-keys';
import { api, request, shownByForm } from '../../api/client';
import { changed } from '../../api/use-form-changes';
import { ExpiryField } from '../../components/expiry-field';
import { Field } from '../../components/field';
import { Form } from '../../components/form';
import { useChange } from '../../api/use-change';

export function EditKeyForm({ apiKey, done }: { apiKey: ApiKey; done: () => void }) {
  const { id, name, expires_at, allowed_ips } = apiKey;
  const [draft, setDraft] = useState({ name, expires_at, allowed_ips });
  const [addresses, setAddresses] = useState(allowed_ips.join('\n'));
  const { expires_at: expiry, ...others } = changed({ name, expires_at, allowed_ips }, draft);
  const changes = { ...others, ...(expiry === null && { never_expires: true }), ...(expiry && { expires_at: expiry }) };
  const save = useChange(
    () => request(api.PATCH('/api/client/api-keys/{id}', { params: { path: { id } }, body: changes })),
    'api-keys',
    shownByForm,
  );
  return (
    <Form onSubmit={() => save.mutate(undefined, { onSuccess: done })} error={save.error}>
      <Field name="name">
        <TextInput
          label="Name"
          required
          maxLength={100}
          value={draft.name}
          onChange={(e) => setDraft({ ...draft, name: e.currentTarget.value })}
        />
      </Field>
      <Field name="expires_at">
        <ExpiryField
          label="Expires"
          description="Software that uses the key stops working then. Leave it empty for a key that never expires."
          value={draft.expires_at}
          onChange={(at) => setDraft({ ...draft, expires_at: at })}
        />
      </Field>
      <Field name="allowed_ips">
        <Textarea
          label="Allowed addresses"
          description="One address or CIDR a line, at most 20. Without any, the key works from every address."
          placeholder="203.0.113.7"
          autosize
          minRows={2}
          value={addresses}
          onChange={({ currentTarget: { value } }) => {
            setAddresses(value);
            setDraft({ ...draft, allowed_ips: value.split(/[\s,]+/).filter((one) => one !== '') });
          }}
        />
      </Field>
      <Button type="submit" loading={save.isPending} disabled={Object.keys(changes).length === 0}>
        Save
      </Button>
    </Form>
  );
}
