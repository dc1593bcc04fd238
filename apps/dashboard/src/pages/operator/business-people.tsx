import { Button, Table, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, request } from '../../api/client';
import { LinkShownOnce, type PersonalLink } from '../../components/link-shown-once';
import { scrollableByKeyboard } from '../../components/scrollable-by-keyboard';
import type { BusinessDetail } from './business';
import { BusinessCard } from './business-card';

export function BusinessPeople({ users }: { users: BusinessDetail['users'] }) {
  const [link, setLink] = useState<PersonalLink | null>(null);
  const reset = useMutation({
    mutationFn: (id: number) => request(api.POST('/api/admin/users/{id}/reset', { params: { path: { id } } })),
    onSuccess: ({ reset_url, expires_at, message }) => setLink({ url: reset_url, expires_at, message }),
  });
  return (
    <BusinessCard title="People">
      {users.length === 0 ? (
        <Text c="dimmed">Nobody can log in to this business.</Text>
      ) : (
        <Table.ScrollContainer minWidth={480} scrollAreaProps={scrollableByKeyboard}>
          <Table>
            <Table.Tbody>
              {users.map(({ id, name, email, role, invited }) => (
                <Table.Tr key={id}>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>
                    <Text size="sm">{name}</Text>
                    <Text size="xs" c="dimmed">
                      {email}
                    </Text>
                  </Table.Td>
                  <Table.Td>
                    {role}
                    {invited && (
                      <Text size="xs" c="dimmed">
                        invited
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td ta="right">
                    <Button size="compact-sm" variant="default" onClick={() => reset.mutate(id)}>
                      Make a reset link
                    </Button>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <LinkShownOnce link={link} title="Reset link" done={() => setLink(null)} />
    </BusinessCard>
  );
}
