import '@mantine/charts/styles.css';
import '@mantine/core/styles/ColorSwatch.css';
import { BarChart } from '@mantine/charts';
import { Button, Card, Group, Table, TextInput, Title } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api, ask, type Schemas } from '../api/client';
import { byKeyboard, number } from '../components/bits';
import { csvFile } from '../components/csv';
import { Empty, Loaded, PageTitle } from '../components/states';

const route = getRouteApi('/inside/usage');
type Line = Schemas['Usage']['usage'][number];
const FIGURES = ['sent', 'delivered', 'read', 'failed', 'refused'] as const;

export function UsagePage() {
  const search = route.useSearch() as { from?: string; to?: string };
  const navigate = route.useNavigate();
  const report = useQuery({
    queryKey: ['usage', search.from, search.to],
    queryFn: () =>
      ask(
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
      <PageTitle title="Usage" about={report.data ? `Days in ${report.data.timezone}` : 'By day and kind'}>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          disabled={!report.data}
          component="a"
          href={report.data ? csvOf(report.data.usage) : undefined}
          download="usage.csv"
        >
          Export CSV
        </Button>
      </PageTitle>
      <Group mb="md">
        <Day label="From" value={from} onChange={(day) => void navigate({ search: { from: day, to } })} />
        <Day label="To" value={to} onChange={(day) => void navigate({ search: { from, to: day } })} />
      </Group>
      <Loaded query={report}>
        {({ usage, keys }) => (
          <>
            {usage.length === 0 ? (
              <Empty title="Nothing was sent in these days">Choose other days, or send a message.</Empty>
            ) : (
              <>
                <Card withBorder mb="md">
                  <BarChart
                    h={260}
                    data={byDay(usage)}
                    dataKey="day"
                    type="stacked"
                    withLegend
                    maxBarWidth={72}
                    series={[
                      { name: 'read', color: 'green.6' },
                      { name: 'delivered', color: 'teal.4' },
                      { name: 'on the way', color: 'blue.4' },
                      { name: 'failed', color: 'red.6' },
                    ]}
                  />
                </Card>
                <Table.ScrollContainer minWidth={560} scrollAreaProps={byKeyboard}>
                  <Table>
                    <Table.Thead>
                      <Table.Tr>
                        <Table.Th>Day</Table.Th>
                        <Table.Th>Kind</Table.Th>
                        {FIGURES.map((name) => (
                          <Table.Th key={name} ta="right" tt="capitalize">
                            {name}
                          </Table.Th>
                        ))}
                      </Table.Tr>
                    </Table.Thead>
                    <Table.Tbody>
                      {[...usage].reverse().map((line) => (
                        <Table.Tr key={line.day + line.kind}>
                          <Table.Td>{line.day}</Table.Td>
                          <Table.Td>{line.kind}</Table.Td>
                          {FIGURES.map((name) => (
                            <Table.Td key={name} ta="right">
                              {number(line[name])}
                            </Table.Td>
                          ))}
                        </Table.Tr>
                      ))}
                    </Table.Tbody>
                  </Table>
                </Table.ScrollContainer>
              </>
            )}
            <Title order={2} size="h5" mt="lg" mb="sm">
              Today’s caps
            </Title>
            <Table>
              <Table.Tbody>
                {keys.map((key) => (
                  <Table.Tr key={key.id}>
                    <Table.Td>{key.name}</Table.Td>
                    <Table.Td ta="right">
                      {key.used_today === null ? '?' : number(key.used_today)} of {number(key.daily_limit)}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </>
        )}
      </Loaded>
    </>
  );
}

/** A day. While a year is typed it passes through 0002, 0020 and 0202: only a whole one is told. */
function Day({ label, value, onChange }: { label: string; value: string; onChange: (day: string) => void }) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextInput
      type="date"
      label={label}
      value={typed ?? value}
      onChange={(e) => {
        const day = e.currentTarget.value;
        setTyped(day);
        if (day >= '2000') onChange(day);
      }}
      onBlur={() => setTyped(null)}
    />
  );
}

/** Disjoint parts of each day, for a stacked bar. */
function byDay(lines: Line[]): Record<string, string | number>[] {
  const days = new Map<string, Record<string, string | number> & { read: number }>();
  for (const line of lines) {
    const day = days.get(line.day) ?? { day: line.day, read: 0, delivered: 0, 'on the way': 0, failed: 0 };
    days.set(line.day, {
      day: line.day,
      read: day.read + line.read,
      delivered: Number(day['delivered']) + line.delivered - line.read,
      'on the way': Number(day['on the way']) + line.sent - line.delivered - line.failed,
      failed: Number(day['failed']) + line.failed + line.refused,
    });
  }
  return [...days.values()];
}

function csvOf(lines: Line[]): string {
  return csvFile([['day', 'kind', ...FIGURES], ...lines.map((line) => [line.day, line.kind, ...FIGURES.map((name) => line[name])])]);
}
