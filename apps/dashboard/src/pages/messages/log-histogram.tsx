import { Anchor, Card, Group, Skeleton, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, request } from '../../api/client';
import { barNames } from '../../api/message-counts';
import { counted } from '../../components/format-number';
import { StackedBars } from '../../components/stacked-bars';
import { STATUS_PARTS, statusValues } from '../../components/status-parts';
import { barBounds } from './bar-bounds';
import { countFilterOf, type LogSearch } from './log-filter';

const HEIGHT = 96;

interface LogHistogramProps {
  search: LogSearch;
  /** Opens the messages of one bar. */
  onPeriod: (bounds: { from: string; to: string } | null) => void;
}

/** The messages of the filter by time and status; a click on a bar opens its messages. */
export function LogHistogram({ search, onPeriod }: LogHistogramProps) {
  const filter = countFilterOf(search);
  const query = useQuery({
    queryKey: ['message-counts', filter],
    queryFn: () => request(api.GET('/api/client/messages/counts', { params: { query: filter ?? {} } })),
    enabled: filter !== null,
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });
  if (filter === null)
    return (
      <Text size="sm" c="dimmed" mb="md">
        Counts are not available for a search by text or phone number.
      </Text>
    );
  const { data } = query;
  if (!data) return query.isError ? null : <Skeleton height={HEIGHT + 88} mb="md" radius="md" />;
  const names = barNames(data);
  const shown = STATUS_PARTS.map(({ status }) => !search.status || status === search.status);
  const bars = data.bars.map((bar, i) => {
    const values = STATUS_PARTS.map((_, part) => bar.counts.reduce((sum, counts) => sum + (statusValues(counts)[part] ?? 0), 0));
    return { ...(names[i] as (typeof names)[number]), values: values.filter((_, part) => shown[part]) };
  });
  const total = bars.flatMap(({ values }) => values).reduce((a, b) => a + b, 0);
  const isChosen = search.from !== undefined || search.to !== undefined;
  const day = new Intl.DateTimeFormat('en', { timeZone: data.timezone, dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });
  return (
    <Card withBorder mb="md" py="sm">
      <Group justify="space-between" mb="xs" gap="xs">
        <Text size="sm">
          <b>{counted(total, 'message')}</b>{' '}
          <Text span size="sm" c="dimmed">
            {isChosen || search.period
              ? `from ${day.format(new Date(data.from))} to ${day.format(new Date(data.to))}`
              : 'in the last 30 days'}
            , {data.timezone}
          </Text>
        </Text>
        {isChosen && (
          <Anchor component="button" type="button" size="sm" onClick={() => onPeriod(null)}>
            Show the whole time
          </Anchor>
        )}
      </Group>
      <StackedBars
        bars={bars}
        parts={STATUS_PARTS.filter((_, part) => shown[part])}
        label="Messages by time and status; choose a period with the fields From and To"
        height={HEIGHT}
        onOpen={(i) => onPeriod(barBounds(data, i, i))}
      />
    </Card>
  );
}
