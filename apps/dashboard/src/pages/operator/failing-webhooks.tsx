import { Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, request } from '../../api/client';
import { number } from '../../components/format-number';
import { QueryResult } from '../../components/query-result';
import { RelativeTime } from '../../components/relative-time';
import { BusinessLink } from './business-link';
import { DataTable } from '../../components/data-table';
import { Dimmed } from '../../components/dimmed';
import { TYPED } from '../../components/typed-text';

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
          <DataTable
            minWidth={620}
            columns={['Webhook', 'Business', { children: 'Failures in a row', ta: 'right' }, 'Last response', 'Last delivery']}
          >
            {webhooks.map((one) => (
              <Table.Tr key={one.id}>
                <Table.Td maw={280} {...TYPED}>
                  {one.name}
                  <Dimmed size="xs">{one.url}</Dimmed>
                </Table.Td>
                <Table.Td>
                  <BusinessLink id={one.business_id}>{one.business_id}</BusinessLink>
                </Table.Td>
                <Table.Td ta="right">{number(one.fail_count)}</Table.Td>
                <Table.Td maw={280} {...TYPED}>
                  {one.last_response_code ?? one.reason ?? 'unknown'}
                </Table.Td>
                <Table.Td>
                  <RelativeTime at={one.last_triggered_at} />
                </Table.Td>
              </Table.Tr>
            ))}
          </DataTable>
        )
      }
    </QueryResult>
  );
}
