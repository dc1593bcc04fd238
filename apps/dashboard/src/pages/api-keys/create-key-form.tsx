import { Button, Checkbox, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { newIdempotencyKey } from '../../api/idempotency-key';
import { ExpiryField } from '../../components/expiry-field';
import { type NewKey, type Permission, PERMISSIONS } from './permissions';
import { Field } from '../../components/field';
import { Form } from '../../components/form';

export function CreateKeyForm({
  isPending,
  error,
  create,
}: {
  isPending: boolean;
  error: unknown;
  create: (created: { body: NewKey; seed: string }) => void;
}) {
  const [seed] = useState(newIdempotencyKey);
  const [name, setName] = useState('');
  const [all, setAll] = useState(true);
  const [chosen, setChosen] = useState<Permission[]>([]);
  const [expires_at, setExpiresAt] = useState<string | null>(null);
  return (
    <Form onSubmit={() => create({ body: { name, permissions: all ? ['*'] : chosen, expires_at }, seed })} error={error}>
      <Field name="name">
        <TextInput label="Name" placeholder="CRM" required value={name} onChange={(e) => setName(e.currentTarget.value)} />
      </Field>
      <Checkbox label="All permissions" checked={all} onChange={(e) => setAll(e.currentTarget.checked)} />
      {!all && (
        <Field name="permissions">
          <Checkbox.Group label="Permissions" value={chosen} onChange={(value) => setChosen(value as Permission[])}>
            <Group mt={4}>
              {PERMISSIONS.map((permission) => (
                <Checkbox key={permission} value={permission} label={permission} />
              ))}
            </Group>
          </Checkbox.Group>
        </Field>
      )}
      <Field name="expires_at">
        <ExpiryField
          label="Expires"
          description="Leave it empty for a key that never expires."
          value={expires_at}
          onChange={setExpiresAt}
        />
      </Field>
      <Button type="submit" loading={isPending} disabled={!all && chosen.length === 0}>
        Create
      </Button>
    </Form>
  );
}
