import { Button, Card, Group, Table, Title } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api, request } from '../../api/client';
import { useZone } from '../../api/use-zone';
import { dateShown } from '../../components/clock-time';
import { StackedBars } from '../../components/stacked-bars';
import { number } from '../../components/format-number';
import { DataTable } from '../../components/data-table';
import { DayField } from '../../components/day-field';
import { Dimmed } from '../../components/dimmed';
import { EmptyState } from '../../components/empty-state';
import { QueryResult } from '../../components/query-result';
import { PageTitle } from '../../components/page-title';
import { STATUS_PARTS } from '../../components/status-parts';
import { UsageCosts } from './usage-costs';
import { byDay, csvOf, COUNT_NAMES } from './usage-days';
import { TYPED } from '../../components/typed-text';

const route = getRouteApi('/inside/usage');

export function UsagePage() {
  const search = route.useSearch() as { from?: string; to?: string };
  const navigate = route.useNavigate();
  const zone = useZone();
  const report = useQuery({
    queryKey: ['usage', search.from, search.to],
    queryFn: () =>
      request(
        api.GET('/api/client/usage', {
          params: { query: { ...(search.from && { from: search.from }), ...(search.to && { to: search.to }) } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  const from = search.from ?? report.data?.from ?? '';
  const to = search.to ?? report.data?.to ?? '';
  return (
    <>
      <PageTitle title="Usage" about={`Days in the time zone ${report.data?.timezone ?? zone}`}>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          disabled={!report.data}
          aria-disabled={!report.data}
          component="a"
          href={report.data ? csvOf(report.data.usage) : undefined}
          download="usage.csv"
        >
          Export CSV
        </Button>
      </PageTitle>
      <Group mb="md">
        <DayField label="From" value={from} disabled={report.isPending} onChange={(day) => void navigate({ search: { from: day, to } })} />
        <DayField label="To" value={to} disabled={report.isPending} onChange={(day) => void navigate({ search: { from, to: day } })} />
      </Group>
      <QueryResult query={report}>
        {({ usage, billing, currency, keys, from, to }) => (
          <>
            {usage.length === 0 ? (
              <EmptyState title="No messages in this period">Choose another period, or send a message.</EmptyState>
            ) : (
              <>
                <Card withBorder mb="md">
                  <StackedBars
                    bars={byDay(usage, from, to)}
                    parts={STATUS_PARTS}
                    label="Messages by day; the table below has the numbers"
                  />
                </Card>
                <Dimmed>
                  Sent counts the messages that WhatsApp accepted, and refused those that it did not or did not confirm. Home, the message
                  log and the bars above count both failed and refused messages as failed. A message belongs to the day on which it was
                  sent.
                </Dimmed>
                <DataTable
                  minWidth={560}
                  isOfNumbers
                  columns={['Day', 'Kind', ...COUNT_NAMES.map((name) => ({ children: name, ta: 'right', tt: 'capitalize' }) as const)]}
                >
                  {[...usage].reverse().map((line) => (
                    <Table.Tr key={line.day + line.kind}>
                      <Table.Td>{dateShown(line.day)}</Table.Td>
                      <Table.Td>{line.kind}</Table.Td>
                      {COUNT_NAMES.map((name) => (
                        <Table.Td key={name} ta="right">
                          {number(line[name])}
                        </Table.Td>
                      ))}
                    </Table.Tr>
                  ))}
                </DataTable>
              </>
            )}
            {usage.length > 0 && <UsageCosts usage={usage} billing={billing} currency={currency} from={from} to={to} />}
            <Title order={2} size="h5" mt="lg" mb="sm">
              Today’s caps
            </Title>
            <Table>
              <Table.Tbody>
                {keys.map((key) => (
                  <Table.Tr key={key.id}>
                    <Table.Td {...TYPED}>{key.name}</Table.Td>
                    <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
                      {key.used_today === null ? '?' : number(key.used_today)} of {number(key.daily_limit)}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </>
        )}
      </QueryResult>
    </>
  );
}
