import { Badge, Button, Group, Stack, Table, Text, Title } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { Schemas } from '../../api/client';
import { dateShown, daysShown } from '../../components/clock-time';
import { DataTable } from '../../components/data-table';
import { Dimmed } from '../../components/dimmed';
import { counted, number } from '../../components/format-number';
import { money, priceWord } from '../../components/money';
import { CostSums } from './cost-sums';
import { byCategory, byMonth, costsCsv, type BillingLine } from './billing';

type UsageCostsProps = Pick<Schemas['Usage'], 'usage' | 'billing' | 'currency' | 'from' | 'to'>;

/** Delivered messages by category, month and day, with their cost by the rate card. */
export function UsageCosts({ usage, billing, currency, from, to }: UsageCostsProps) {
  const delivered = usage.reduce((sum, line) => sum + line.delivered, 0);
  const unpriced = delivered - billing.reduce((sum, { count }) => sum + count, 0);
  return (
    <Stack gap="sm" mt="lg">
      <Group justify="space-between">
        <Title order={2} size="h5">
          Costs
        </Title>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconDownload size={14} />}
          component="a"
          href={costsCsv(billing, currency)}
          download="costs.csv"
        >
          Export costs
        </Button>
      </Group>
      <Dimmed>
        Delivered messages, by the price that WhatsApp reports and the operator’s rate card. WhatsApp’s invoice decides. Replies and utility
        templates are charged within the 24-hour window too; only the 72 hours after a click on an ad are free.
      </Dimmed>
      {unpriced > 0 && <Dimmed>{counted(unpriced, 'delivered message')} without a price from WhatsApp yet; not listed below.</Dimmed>}
      {billing.length > 0 && (
        <>
          <CostSums title="Category" period={daysShown(from, to)} sums={byCategory(billing)} currency={currency} />
          <CostSums title="Month" sums={byMonth(billing, from, to)} currency={currency} />
          <DataTable minWidth={560} columns={['Day', 'Category', 'Price', right('Messages'), right('Cost')]}>
            {[...billing].reverse().map((line) => (
              <Table.Tr key={`${line.day} ${line.category} ${line.type} ${line.billable} ${line.cost}`}>
                <Table.Td>{dateShown(line.day)}</Table.Td>
                <Table.Td tt="capitalize">{priceWord(line.category)}</Table.Td>
                <Table.Td>{line.billable ? 'Charged' : `Free: ${priceWord(line.type)}`}</Table.Td>
                <Table.Td ta="right">{number(line.count)}</Table.Td>
                <Table.Td ta="right">
                  <Cost line={line} currency={currency} />
                </Table.Td>
              </Table.Tr>
            ))}
          </DataTable>
        </>
      )}
    </Stack>
  );
}

function Cost({ line, currency }: { line: BillingLine; currency: string | null }) {
  if (!line.billable) return <Text size="sm">Free</Text>;
  if (line.cost !== undefined) return <Text size="sm">{money(line.cost, currency)}</Text>;
  return (
    <Badge variant="light" color="yellow" tt="none" style={{ color: 'var(--mantine-color-text)' }}>
      No rate
    </Badge>
  );
}

const right = (children: string) => ({ children, ta: 'right' }) as const;
