import { Anchor, Card, Group, Skeleton, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, request } from '../../api/client';
import { barNames } from '../../api/message-counts';
import { counted } from '../../components/format-number';
import { LoadFailed } from '../../components/load-failed';
import { useFailure } from '../../components/query-result';
import { STATUS_PARTS, statusValues } from '../../components/status-parts';
import { barBounds } from './bar-bounds';
import { HistogramBars } from './histogram-bars';
import { countFilterOf, type LogSearch } from './log-filter';

/** The card keeps its height while it loads. */
const HEIGHT = { base: 250, sm: 212 };

interface LogHistogramProps {
  search: LogSearch;
  /** Opens the messages of some bars; null opens all. */
  onPeriod: (bounds: { from: string; to: string } | null) => void;
}

/** The messages of the filter by time and status. */
export function LogHistogram({ search, onPeriod }: LogHistogramProps) {
  const filter = countFilterOf(search);
  const query = useQuery({
    queryKey: ['message-counts', filter],
    queryFn: () => request(api.GET('/api/client/messages/counts', { params: { query: filter ?? {} } })),
    enabled: filter !== null,
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });
  const failure = useFailure(query);
  if (filter === null)
    return (
      <Text size="sm" c="dimmed" mb="md">
        Counts are not available for a search by text or phone number.
      </Text>
    );
  const { data } = query;
  const isChosen = search.from !== undefined || search.to !== undefined;
  if (!data)
    return failure ? (
      <Card withBorder mb="md" py="sm" mih={HEIGHT} aria-label="Messages by time" component="section">
        <LoadFailed error={failure} isRetrying={query.isFetching} retry={() => void query.refetch()} />
        {isChosen && <ShowAll onPeriod={onPeriod} />}
      </Card>
    ) : (
      <Skeleton h={HEIGHT} mb="md" radius="md" />
    );
  const names = barNames(data);
  const isShown = STATUS_PARTS.map(({ status }) => !search.status || status === search.status);
  const bars = data.bars.map((bar, i) => ({
    ...(names[i] as (typeof names)[number]),
    values: STATUS_PARTS.map((_, part) =>
      isShown[part] ? bar.counts.reduce((sum, counts) => sum + (statusValues(counts)[part] ?? 0), 0) : 0,
    ),
  }));
  const total = bars.flatMap(({ values }) => values).reduce((a, b) => a + b, 0);
  const day = new Intl.DateTimeFormat('en', { timeZone: data.timezone, dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });
  return (
    <Card withBorder mb="md" py="sm" mih={HEIGHT}>
      <Group justify="space-between" mb="xs" gap="xs">
        <Text size="sm">
          <b>{counted(total, 'message')}</b>{' '}
          <Text span size="sm" c="dimmed">
            {isChosen || search.period
              ? `from ${day.format(new Date(data.from))} to ${day.format(new Date(data.to))}`
              : 'in the last 30 days'}
            , {data.timezone}
            <Text span inherit visibleFrom="sm">
              ; failures below the line with a scale of their own; drag over bars to choose a period
            </Text>
          </Text>
        </Text>
        {isChosen && <ShowAll onPeriod={onPeriod} />}
      </Group>
      <HistogramBars
        bars={bars}
        parts={STATUS_PARTS}
        label="Messages by time and status; Enter on a bar chooses its period, Shift with an arrow a longer one"
        onChoose={(first, last) => onPeriod(barBounds(data, first, last))}
      />
    </Card>
  );
}

function ShowAll({ onPeriod }: Pick<LogHistogramProps, 'onPeriod'>) {
  return (
    <Anchor component="button" type="button" size="sm" onClick={() => onPeriod(null)}>
      Show the whole time
    </Anchor>
  );
}
