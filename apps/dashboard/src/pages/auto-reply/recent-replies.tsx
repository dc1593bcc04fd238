import { Group, Table, Text } from '@mantine/core';
import { api, request } from '../../api/client';
import { usePagedQuery } from '../../components/use-paged-query';
import { RelativeTime } from '../../components/relative-time';
import { shownReason } from '../../components/shown-status';
import { StateBadge } from '../../components/state-badge';
import { LoadMore } from '../../components/load-more';
import { EmptyState } from '../../components/empty-state';
import { QueryResult } from '../../components/query-result';
import { TitledCard } from '../../components/titled-card';
import { TYPED } from '../../components/typed-text';

export function RecentReplies({ isOn }: { isOn: boolean }) {
  const list = usePagedQuery({
    queryKey: ['auto-reply', 'replies'],
    load: (query) => request(api.GET('/api/client/auto-reply/replies', { params: { query } })),
    rows: (page) => page.replies,
    refetchInterval: 5_000,
  });
  return (
    <TitledCard title="Recent">
      <QueryResult query={list} rows={3}>
        {(replies) =>
          replies.length === 0 ? (
            <EmptyState title="No automatic replies yet">
              {isOn ? 'Replies appear here when a customer writes.' : 'Turn it on and write as a customer.'}
            </EmptyState>
          ) : (
            <Table>
              <Table.Tbody>
                {replies.map((reply) => (
                  <Table.Tr key={reply.id}>
                    <Table.Td>
                      <Text size="sm" fw={600} {...TYPED} ta="start">
                        {reply.question}
                      </Text>
                      <Text size="sm" c="dimmed" {...TYPED} ta="start">
                        {reply.reply ?? shownReason(reply.reason)}
                      </Text>
                    </Table.Td>
                    <Table.Td>
                      <StateBadge of={reply.state} />
                    </Table.Td>
                    <Table.Td style={{ whiteSpace: 'nowrap' }}>
                      <RelativeTime at={reply.at} />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )
        }
      </QueryResult>
      <Group mt="sm">
        <LoadMore list={list}>Older events</LoadMore>
      </Group>
    </TitledCard>
  );
}
