import { Button, Group, Stack, Table, TextInput } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, request } from '../../api/client';
import { dateShown } from '../../components/clock-time';
import { DataTable } from '../../components/data-table';
import { Dimmed } from '../../components/dimmed';
import { EmptyState } from '../../components/empty-state';
import { counted, number } from '../../components/format-number';
import { money, priceWord } from '../../components/money';
import { PageTitle } from '../../components/page-title';
import { QueryResult } from '../../components/query-result';
import { UploadRateCard } from './upload-rate-card';

/** Rows that the table draws at once. */
const SHOWN = 300;

/** The price of messages by market and category, with its history. */
export function RateCardPage() {
  const [search, setSearch] = useState('');
  const card = useQuery({ queryKey: ['rate-card'], queryFn: () => request(api.GET('/api/admin/rate-card')) });
  const csv = card.data?.csv;
  return (
    <>
      <PageTitle title="Rate card" about="Prices of delivered messages, which turn counts into costs for every business">
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          disabled={csv === undefined}
          aria-disabled={csv === undefined}
          component="a"
          href={csv === undefined ? undefined : `data:text/csv;charset=utf-8,${encodeURIComponent(csv)}`}
          download="rate-card.csv"
        >
          Download CSV
        </Button>
      </PageTitle>
      <Stack>
        <UploadRateCard />
        <QueryResult query={card}>
          {({ currency, rates }) => {
            const words = search.trim().toLowerCase().replace(/^\+/, '');
            const found = rates.filter((rate) => `${rate.prefix} ${rate.market} ${rate.category}`.toLowerCase().includes(words));
            if (rates.length === 0)
              return <EmptyState title="No rates yet">Upload a rate card. Until then messages show no cost.</EmptyState>;
            return (
              <>
                <Group justify="space-between" align="flex-end">
                  <TextInput
                    label="Find a market or category"
                    value={search}
                    onChange={(e) => setSearch(e.currentTarget.value)}
                    placeholder="India"
                  />
                  <Dimmed>
                    {number(found.length)} of {counted(rates.length, 'rate')}, in {currency}
                    {found.length > SHOWN && `; the first ${SHOWN} are shown`}
                  </Dimmed>
                </Group>
                <DataTable minWidth={560} columns={['Prefix', 'Market', 'Category', { children: 'Price', ta: 'right' }, 'Valid from']}>
                  {found.slice(0, SHOWN).map(({ prefix, market, category, price, valid_from }) => (
                    <Table.Tr key={`${prefix} ${category} ${valid_from}`}>
                      <Table.Td>{prefix === '*' ? 'All others' : `+${prefix}`}</Table.Td>
                      <Table.Td>{market}</Table.Td>
                      <Table.Td tt="capitalize">{priceWord(category)}</Table.Td>
                      <Table.Td ta="right">{money(price, currency)}</Table.Td>
                      <Table.Td>{dateShown(valid_from)}</Table.Td>
                    </Table.Tr>
                  ))}
                </DataTable>
              </>
            );
          }}
        </QueryResult>
      </Stack>
    </>
  );
}
