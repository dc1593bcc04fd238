import { Badge, Table, Text, VisuallyHidden } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, notifySuccess, request, type Schemas } from '../../api/client';
import { ConfirmButton } from '../../components/confirm-button';
import { counted, number } from '../../components/format-number';
import { QueryResult } from '../../components/query-result';
import { RelativeTime } from '../../components/relative-time';
import { TitledCard } from '../../components/titled-card';
import { DataTable } from '../../components/data-table';
import { Dimmed } from '../../components/dimmed';
import { browserName } from './browser-name';

type Session = Schemas['Sessions']['sessions'][number];

const browserOf = ({ user_agent }: Session): string => (user_agent === null ? 'Unknown browser' : browserName(user_agent));
const addressOf = ({ ip }: Session): string => ip ?? 'unknown address';

export function SessionList() {
  const queries = useQueryClient();
  const list = useQuery({ queryKey: ['sessions'], queryFn: () => request(api.GET('/api/client/me/sessions')) });
  const end = useMutation({
    mutationFn: async (ids: number[]) => {
      const ended = await Promise.all(ids.map((id) => request(api.DELETE('/api/client/me/sessions/{id}', { params: { path: { id } } }))));
      return ended.length === 1 ? ended[0]?.message : `${counted(ended.length, 'session')} ended.`;
    },
    onSuccess: (message) => message && notifySuccess(message),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['sessions'] }),
  });
  return (
    <TitledCard title="Sessions">
      <Text c="dimmed" size="sm" mb="sm">
        Browsers and programs that are logged in as you. End one that you do not know, then change your password.
      </Text>
      <QueryResult query={list} rows={2}>
        {({ sessions }) => {
          const others = sessions.filter(({ current }) => !current).map(({ id }) => id);
          return (
            <>
              <DataTable minWidth={420} columns={['Browser', 'Logged in', 'Last used', { children: <VisuallyHidden>End</VisuallyHidden> }]}>
                {sessions.map((session, i) => (
                  <Table.Tr key={session.id}>
                    <Table.Td maw={280}>
                      <Text size="sm" lineClamp={2} style={{ overflowWrap: 'anywhere' }} title={session.user_agent ?? undefined}>
                        {browserOf(session)}
                      </Text>
                      <Dimmed size="xs">{addressOf(session)}</Dimmed>
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
                          aria-label={`End session ${i + 1}: ${browserOf(session)}, ${addressOf(session)}`}
                          question="End this session?"
                          consequence="Its browser has to log in again."
                          onConfirm={() => end.mutate([session.id])}
                        >
                          End
                        </ConfirmButton>
                      )}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </DataTable>
              {others.length > 1 && (
                <ConfirmButton
                  mt="sm"
                  size="compact-sm"
                  color="red"
                  variant="light"
                  loading={end.isPending}
                  question={`End the ${number(others.length)} other sessions?`}
                  consequence="Their browsers have to log in again."
                  onConfirm={() => end.mutate(others)}
                >
                  End all others
                </ConfirmButton>
              )}
            </>
          );
        }}
      </QueryResult>
    </TitledCard>
  );
}
