import { Button, Card, PasswordInput, Select, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, request, notifySuccess } from '../../api/client';
import { useMe } from '../../api/session';
import { QueryResult } from '../../components/query-result';
import { ConfirmButton } from '../../components/confirm-button';

export function Team() {
  const queries = useQueryClient();
  const { user } = useMe();
  const isOwner = user.role === 'owner';
  const nobody = { name: '', email: '', password: '', role: 'member' as 'owner' | 'member' };
  const [person, setPerson] = useState(nobody);
  const list = useQuery({ queryKey: ['team'], queryFn: () => request(api.GET('/api/client/team')) });
  const done = ({ message }: { message: string }) => {
    notifySuccess(message);
    setPerson(nobody);
    void queries.invalidateQueries({ queryKey: ['team'] });
  };
  const add = useMutation({ mutationFn: () => request(api.POST('/api/client/team', { body: person })), onSuccess: done });
  const remove = useMutation({
    mutationFn: (id: number) => request(api.DELETE('/api/client/team/{id}', { params: { path: { id } } })),
    onSuccess: done,
  });
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="sm">
        Team
      </Title>
      <QueryResult query={list} rows={2}>
        {({ users }) => (
          <Table mb="sm">
            <Table.Tbody>
              {users.map((one) => (
                <Table.Tr key={one.id}>
                  <Table.Td>
                    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                      {one.name}
                    </Text>
                    <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                      {one.email}
                    </Text>
                  </Table.Td>
                  <Table.Td>{one.role}</Table.Td>
                  <Table.Td ta="right">
                    {isOwner && one.id !== user.id && (
                      <ConfirmButton
                        size="compact-sm"
                        color="red"
                        variant="light"
                        question={`Remove ${one.name}?`}
                        onConfirm={() => remove.mutate(one.id)}
                      >
                        Remove
                      </ConfirmButton>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </QueryResult>
      {isOwner && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            add.mutate();
          }}
        >
          <Stack gap="xs">
            <TextInput label="Name" required value={person.name} onChange={(e) => setPerson({ ...person, name: e.currentTarget.value })} />
            <TextInput
              label="Email"
              type="email"
              required
              value={person.email}
              onChange={(e) => setPerson({ ...person, email: e.currentTarget.value })}
            />
            <PasswordInput
              label="Initial password"
              autoComplete="new-password"
              required
              minLength={8}
              value={person.password}
              onChange={(e) => setPerson({ ...person, password: e.currentTarget.value })}
            />
            <Select
              label="Role"
              data={['member', 'owner']}
              value={person.role}
              allowDeselect={false}
              onChange={(role) => role && setPerson({ ...person, role: role as 'owner' | 'member' })}
            />
            <Button type="submit" variant="default" loading={add.isPending}>
              Add to team
            </Button>
          </Stack>
        </form>
      )}
    </Card>
  );
}
