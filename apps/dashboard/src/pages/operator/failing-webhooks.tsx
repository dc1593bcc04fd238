import { Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, request } from '../../api/client';
import { number } from '../../components/format-number';
import { QueryResult } from '../../components/query-result';
import { RelativeTime } from '../../components/relative-time';
import { scrollableByKeyboard } from '../../components/scrollable-by-keyboard';
import { BusinessLink } from './business-link';

/** The webhooks of all businesses whose last deliveries failed. */
export function FailingWebhooks() {
  const list = useQuery({
    queryKey: ['failing-webhooks'],
    queryFn: () => request(api.GET('/api/admin/failing-webhooks')),
    refetchInterval: 30_000,
  });
  return (
    <QueryResult query={list} rows={2}>
      {({ webhooks }) =>
        webhooks.length === 0 ? (
          <Text c="dimmed">Every webhook accepted its last delivery.</Text>
        ) : (
          <Table.ScrollContainer minWidth={620} scrollAreaProps={scrollableByKeyboard}>
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Webhook</Table.Th>
                  <Table.Th>Business</Table.Th>
                  <Table.Th ta="right">Failures in a row</Table.Th>
                  <Table.Th>Last response</Table.Th>
                  <Table.Th>Last delivery</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {webhooks.map((one) => (
                  <Table.Tr key={one.id}>
                    <Table.Td maw={280} style={{ overflowWrap: 'anywhere' }}>
                      {one.name}
                      <Text size="xs" c="dimmed">
                        {one.url}
                      </Text>
                    </Table.Td>
                    <Table.Td>
                      <BusinessLink id={one.business_id}>{one.business_id}</BusinessLink>
                    </Table.Td>
                    <Table.Td ta="right">{number(one.fail_count)}</Table.Td>
                    <Table.Td>{one.last_response_code ?? one.reason ?? 'none'}</Table.Td>
                    <Table.Td>
                      <RelativeTime at={one.last_triggered_at} />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )
      }
    </QueryResult>
  );
}
