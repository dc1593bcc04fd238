import { Button, Checkbox, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ExpiryField } from '../../components/expiry-field';
import { type NewKey, type Permission, PERMISSIONS } from './permissions';
import { Form } from '../../components/form';

export function CreateKeyForm({ isPending, create }: { isPending: boolean; create: (key: NewKey) => void }) {
  const [name, setName] = useState('');
  const [all, setAll] = useState(true);
  const [chosen, setChosen] = useState<Permission[]>([]);
  const [expires_at, setExpiresAt] = useState<string | null>(null);
  return (
    <Form onSubmit={() => create({ name, permissions: all ? ['*'] : chosen, expires_at })}>
      <TextInput label="Name" placeholder="CRM" required value={name} onChange={(e) => setName(e.currentTarget.value)} />
      <Checkbox label="All permissions" checked={all} onChange={(e) => setAll(e.currentTarget.checked)} />
      {!all && (
        <Checkbox.Group label="Permissions" value={chosen} onChange={(value) => setChosen(value as Permission[])}>
          <Group mt={4}>
            {PERMISSIONS.map((permission) => (
              <Checkbox key={permission} value={permission} label={permission} />
            ))}
          </Group>
        </Checkbox.Group>
      )}
      <ExpiryField label="Expires" description="Leave it empty for a key that never expires." value={expires_at} onChange={setExpiresAt} />
      <Button type="submit" loading={isPending} disabled={!name || (!all && chosen.length === 0)}>
        Create
      </Button>
    </Form>
  );
}
