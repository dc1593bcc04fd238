import { SimpleGrid } from '@mantine/core';
import { number, percent } from '../../components/format-number';
import { type Totals } from './usage-totals';
import { Metric } from './metric';

export function UsageMetrics({ sent, delivered, read, failed }: Totals) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
      <Metric label="Sent" value={number(sent)} />
      <Metric label="Delivered" value={number(delivered)} note={percent(delivered, sent)} />
      <Metric label="Read" value={number(read)} note={percent(read, sent)} />
      <Metric label="Failed or refused" value={number(failed)} note={percent(failed, sent + failed)} />
    </SimpleGrid>
  );
}
