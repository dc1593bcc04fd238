import { Button, Card, Group, Table, TextInput, Title } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api, ask, type Schemas } from '../api/client';
import { Bars, type Bar } from '../components/bars';
import { byKeyboard, number } from '../components/bits';
import { csvFile } from '../components/csv';
import { Empty, Loaded, PageTitle } from '../components/states';

const route = getRouteApi('/inside/usage');
type Line = Schemas['Usage']['usage'][number];
const DAY_MS = 86_400_000;
const DAY = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });
/** Of a bar, the lowest first. */
const PARTS = [
  { name: 'read', color: 'green-6' },
  { name: 'delivered', color: 'teal-4' },
  { name: 'on the way', color: 'blue-4' },
  { name: 'failed', color: 'red-6' },
];
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
        <Day label="From" value={from} disabled={report.isPending} onChange={(day) => void navigate({ search: { from: day, to } })} />
        <Day label="To" value={to} disabled={report.isPending} onChange={(day) => void navigate({ search: { from, to: day } })} />
      </Group>
      <Loaded query={report}>
        {({ usage, keys, from, to }) => (
          <>
            {usage.length === 0 ? (
              <Empty title="Nothing was sent in these days">Choose other days, or send a message.</Empty>
            ) : (
              <>
                <Card withBorder mb="md">
                  <Bars bars={byDay(usage, from, to)} parts={PARTS} label="Messages by day; the table below has the figures" />
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

interface DayProps {
  label: string;
  value: string;
  /** Before it is known, which would overwrite what was typed meanwhile. */
  disabled: boolean;
  onChange: (day: string) => void;
}

/** A day. While a year is typed it passes through 0002, 0020 and 0202: only a whole one is told. */
function Day({ label, value, disabled, onChange }: DayProps) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextInput
      type="date"
      label={label}
      disabled={disabled}
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

/** Each of the days, with disjoint parts. */
function byDay(lines: Line[], from: string, to: string): Bar[] {
  const days: Bar[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS) {
    const day = new Date(at).toISOString().slice(0, 10);
    const parts = lines
      .filter((line) => line.day === day)
      .map(({ sent, delivered, read, failed, refused }) => [read, delivered - read, sent - delivered - failed, failed + refused]);
    days.push({ name: DAY.format(at), values: PARTS.map((_, i) => parts.reduce((sum, part) => sum + (part[i] ?? 0), 0)) });
  }
  return days;
}

function csvOf(lines: Line[]): string {
  return csvFile([['day', 'kind', ...FIGURES], ...lines.map((line) => [line.day, line.kind, ...FIGURES.map((name) => line[name])])]);
}
