import { Button, Code, Group, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, request, type Schemas } from '../../api/client';
import { ConfirmButton } from '../../components/confirm-button';
import { EmptyState } from '../../components/empty-state';
import { counted } from '../../components/format-number';
import { PageTitle } from '../../components/page-title';
import { QueryResult } from '../../components/query-result';
import { RelativeTime } from '../../components/relative-time';
import { StateBadge } from '../../components/state-badge';
import { DataTable } from '../../components/data-table';
import { Dimmed } from '../../components/dimmed';
import { useChange } from '../../api/use-change';
import { Modal } from '../../components/modal';

type Letter = Schemas['DeadLetters']['dead_letters'][number];
const LISTED = 100;

const nameOf = ({ service, id }: Letter): string => `dead letter ${id} of ${service}`;

/** Events and updates that the services could not handle, with replay and discard. */
export function DeadLettersPage() {
  const [shown, setShown] = useState<Letter | null>(null);
  const list = useQuery({
    queryKey: ['dead-letters'],
    queryFn: () => request(api.GET('/api/admin/dead-letters')),
    refetchInterval: ({ state }) => (state.data?.dead_letters.some((letter) => letter.replay_requested) ? 1_000 : 15_000),
  });
  const pathOf = ({ service, id }: Letter) => ({ params: { path: { service, id } } });
  const replay = useChange(
    (letter: Letter) => request(api.POST('/api/admin/dead-letters/{service}/{id}/replay', pathOf(letter))),
    'dead-letters',
  );
  const discard = useChange(
    (letter: Letter) => request(api.DELETE('/api/admin/dead-letters/{service}/{id}', pathOf(letter))),
    'dead-letters',
  );
  return (
    <>
      <PageTitle title="Dead letters" about="Events and updates that a service set aside because it could not handle them" />
      <QueryResult query={list}>
        {({ dead_letters, totals }) =>
          dead_letters.length === 0 ? (
            <EmptyState title="No dead letters">
              An event that fails again and again appears here with its reason. Replay it after the cause is gone.
            </EmptyState>
          ) : (
            <>
              {totals
                .filter(({ total }) => total > LISTED)
                .map(({ service, total }) => (
                  <Text key={service} size="sm" c="dimmed">
                    {service} has {total}; these are the oldest {LISTED}.
                  </Text>
                ))}
              <DataTable minWidth={820} columns={['Set aside', 'Service', 'Event', 'Business', 'Reason', 'Actions']}>
                {dead_letters.map((letter) => (
                  <Table.Tr key={`${letter.service}${letter.id}`}>
                    <Table.Td>
                      <RelativeTime at={letter.at} />
                    </Table.Td>
                    <Table.Td>{letter.service}</Table.Td>
                    <Table.Td maw={200} style={{ overflowWrap: 'anywhere' }}>
                      {letter.subject}
                      <Dimmed size="xs">{letter.event_id}</Dimmed>
                    </Table.Td>
                    <Table.Td>{letter.business}</Table.Td>
                    <Table.Td maw={280} style={{ overflowWrap: 'anywhere' }}>
                      <Text size="sm" lineClamp={3}>
                        {letter.reason}
                      </Text>
                      <Dimmed size="xs">{counted(letter.tries, 'attempt')}</Dimmed>
                    </Table.Td>
                    <Table.Td>
                      {letter.replay_requested ? (
                        <StateBadge of="running" label="replay requested" />
                      ) : (
                        <Group gap="xs" wrap="nowrap">
                          <Button
                            size="compact-sm"
                            variant="default"
                            aria-label={`Show ${nameOf(letter)}`}
                            onClick={() => setShown(letter)}
                          >
                            Show
                          </Button>
                          <Button
                            size="compact-sm"
                            variant="default"
                            aria-label={`Replay ${nameOf(letter)}`}
                            onClick={() => replay.mutate(letter)}
                          >
                            Replay
                          </Button>
                          <ConfirmButton
                            size="compact-sm"
                            color="red"
                            variant="light"
                            aria-label={`Discard ${nameOf(letter)}`}
                            question={`Discard ${nameOf(letter)}?`}
                            consequence="The event is lost: nothing handles it any more."
                            onConfirm={() => discard.mutate(letter)}
                          >
                            Discard
                          </ConfirmButton>
                        </Group>
                      )}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </DataTable>
            </>
          )
        }
      </QueryResult>
      <Modal opened={shown !== null} onClose={() => setShown(null)} title={`Dead letter ${shown?.id} of ${shown?.service}`} size="xl">
        {shown && <LetterBody letter={shown} />}
      </Modal>
    </>
  );
}

function LetterBody({ letter: { service, id, reason } }: { letter: Letter }) {
  const body = useQuery({
    queryKey: ['dead-letter', service, id],
    queryFn: () => request(api.GET('/api/admin/dead-letters/{service}/{id}', { params: { path: { service, id } } })),
  });
  return (
    <>
      <Text size="sm" mb="sm" style={{ overflowWrap: 'anywhere' }}>
        {reason}
      </Text>
      <QueryResult query={body}>
        {(letter) => (
          <Code block mah={480} tabIndex={0}>
            {indented(letter.body)}
          </Code>
        )}
      </QueryResult>
    </>
  );
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
