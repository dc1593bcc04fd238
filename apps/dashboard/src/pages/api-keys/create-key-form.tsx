import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type NewKey, type Permission, PERMISSIONS } from './permissions';

export function CreateKeyForm({ isPending, create }: { isPending: boolean; create: (key: NewKey) => void }) {
  const [name, setName] = useState('');
  const [all, setAll] = useState(true);
  const [chosen, setChosen] = useState<Permission[]>([]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        create({ name, permissions: all ? ['*'] : chosen });
      }}
    >
      <Stack>
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
        <Button type="submit" loading={isPending} disabled={!name || (!all && chosen.length === 0)}>
          Create
        </Button>
      </Stack>
    </form>
  );
}
