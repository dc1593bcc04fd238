import { Badge, Card, Table, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, notifySuccess, request } from '../../api/client';
import { ConfirmButton } from '../../components/confirm-button';
import { QueryResult } from '../../components/query-result';
import { RelativeTime } from '../../components/relative-time';
import { scrollableByKeyboard } from '../../components/scrollable-by-keyboard';

export function SessionList() {
  const queries = useQueryClient();
  const list = useQuery({ queryKey: ['sessions'], queryFn: () => request(api.GET('/api/client/me/sessions')) });
  const end = useMutation({
    mutationFn: (id: number) => request(api.DELETE('/api/client/me/sessions/{id}', { params: { path: { id } } })),
    onSuccess: ({ message }) => notifySuccess(message),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['sessions'] }),
  });
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="xs">
        Sessions
      </Title>
      <Text c="dimmed" size="sm" mb="sm">
        Browsers and programs that are logged in as you. End one that you do not know, then change your password.
      </Text>
      <QueryResult query={list} rows={2}>
        {({ sessions }) => (
          <Table.ScrollContainer minWidth={420} scrollAreaProps={scrollableByKeyboard}>
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Browser</Table.Th>
                  <Table.Th>Logged in</Table.Th>
                  <Table.Th>Last used</Table.Th>
                  <Table.Th aria-label="End the session" />
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {sessions.map((session) => (
                  <Table.Tr key={session.id}>
                    <Table.Td maw={280}>
                      <Text size="sm" lineClamp={2} style={{ overflowWrap: 'anywhere' }} title={session.user_agent ?? undefined}>
                        {session.user_agent ?? 'Unknown browser'}
                      </Text>
                      <Text size="xs" c="dimmed">
                        {session.ip ?? 'unknown address'}
                      </Text>
                    </Table.Td>
                    <Table.Td>
                      <RelativeTime at={session.created_at} />
                    </Table.Td>
                    <Table.Td>
                      <RelativeTime at={session.last_used_at} />
                    </Table.Td>
                    <Table.Td ta="right">
                      {session.current ? (
                        <Badge variant="default">This one</Badge>
                      ) : (
                        <ConfirmButton
                          size="compact-sm"
                          color="red"
                          variant="light"
                          question="End this session?"
                          consequence="Its browser has to log in again."
                          onConfirm={() => end.mutate(session.id)}
                        >
                          End
                        </ConfirmButton>
                      )}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
      </QueryResult>
    </Card>
  );
}
