import { Table } from '@mantine/core';
import { DataTable } from '../../components/data-table';
import { number } from '../../components/format-number';
import { money, priceWord } from '../../components/money';
import type { byCategory } from './billing';

const COUNTS = ['Charged', 'Free', 'No rate', 'Cost'].map((children) => ({ children, ta: 'right' }) as const);

interface CostSumsProps {
  title: string;
  /** The period of the first column's head. */
  period?: string;
  sums: ReturnType<typeof byCategory>;
  currency: string | null;
}

/** Counts and cost of each category or month. */
export function CostSums({ title, period, sums, currency }: CostSumsProps) {
  const head = { children: period === undefined ? title : `${title}, ${period}`, abbr: title };
  return (
    <DataTable minWidth={440} columns={[head, ...COUNTS]}>
      {sums.map(({ name, charged, free, withoutRate, cost }) => (
        <Table.Tr key={name}>
          <Table.Td tt="capitalize">{priceWord(name)}</Table.Td>
          <Table.Td ta="right">{number(charged)}</Table.Td>
          <Table.Td ta="right">{number(free)}</Table.Td>
          <Table.Td ta="right">{number(withoutRate)}</Table.Td>
          <Table.Td ta="right">{charged > 0 && charged === withoutRate ? 'No rate' : money(cost, currency)}</Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  );
}
