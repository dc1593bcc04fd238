import { Button, Group, Table, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, request } from '../../api/client';
import { useChange } from '../../api/use-change';
import { LinkShownOnce, type PersonalLink } from '../../components/link-shown-once';
import { TurnTotpOff } from '../../components/turn-totp-off';
import type { BusinessDetail } from './business';
import { personShown } from '../../components/person-shown';
import { TitledCard } from '../../components/titled-card';
import { DataTable } from '../../components/data-table';
import { FirstRows } from '../../components/first-rows';
import { Dimmed } from '../../components/dimmed';
import { TYPED } from '../../components/typed-text';

export function BusinessPeople({ users }: { users: BusinessDetail['users'] }) {
  const [link, setLink] = useState<PersonalLink | null>(null);
  const reset = useMutation({
    mutationFn: (id: number) => request(api.POST('/api/admin/users/{id}/reset', { params: { path: { id } } })),
    onSuccess: ({ reset_url, expires_at, message }) => setLink({ url: reset_url, expires_at, message }),
  });
  const endTotp = useChange((id: number) => request(api.DELETE('/api/admin/users/{id}/totp', { params: { path: { id } } })), 'business');
  return (
    <TitledCard title="People">
      {users.length === 0 ? (
        <Text c="dimmed">Nobody can log in to this business.</Text>
      ) : (
        <FirstRows rows={users} textOf={({ name, email }) => `${name} ${email}`} search="Name or email">
          {(shown) => (
            <DataTable minWidth={480}>
              {shown.map(({ id, name, email, role, invited, totp }) => (
                <Table.Tr key={id}>
                  <Table.Td {...TYPED}>
                    <Text size="sm">{name}</Text>
                    <Dimmed size="xs">{email}</Dimmed>
                  </Table.Td>
                  <Table.Td>
                    {role}
                    {invited && <Dimmed size="xs">invited</Dimmed>}
                    {totp && <Dimmed size="xs">two-step login</Dimmed>}
                  </Table.Td>
                  <Table.Td ta="right">
                    <Group gap="xs" justify="flex-end">
                      {totp && <TurnTotpOff person={{ name, email }} onConfirm={() => endTotp.mutate(id)} />}
                      <Button
                        size="compact-sm"
                        variant="default"
                        aria-label={`Make a reset link for ${personShown({ name, email })}`}
                        onClick={() => reset.mutate(id)}
                      >
                        Make a reset link
                      </Button>
                    </Group>
                  </Table.Td>
                </Table.Tr>
              ))}
            </DataTable>
          )}
        </FirstRows>
      )}
      <LinkShownOnce link={link} title="Reset link" done={() => setLink(null)} />
    </TitledCard>
  );
}
