import { Alert, List, Text } from '@mantine/core';
import type { Schemas } from '../../api/client';
import { Dimmed } from '../../components/dimmed';
import { counted, number } from '../../components/format-number';
import { money } from '../../components/money';

/** Markets that the list names. */
const SHOWN = 6;

/** The expected cost of the broadcast, by the recipients' countries, with what is unknown. */
export function CostEstimate({ estimate, category }: Pick<Schemas['BroadcastCheck'], 'estimate' | 'category'>) {
  if (estimate === null) return <Dimmed>The cost cannot be estimated now. Try again in a moment.</Dimmed>;
  const { currency, cost, markets, without_rate } = estimate;
  if (currency === null) return <Dimmed>The cost is unknown: the operator has not entered WhatsApp’s prices yet.</Dimmed>;
  const total = markets.reduce((sum, { count }) => sum + count, 0);
  const unknown = markets.filter(({ price }) => price === null);
  return (
    <Alert
      role="status"
      color={without_rate > 0 ? 'yellow' : 'blue'}
      title={
        without_rate === total
          ? 'Estimated cost: no rate'
          : `Estimated cost: ${without_rate > 0 ? 'at least ' : ''}${money(cost, currency)}`
      }
    >
      <Text size="sm">
        An estimate in {currency} by the rate card, if all messages are delivered and charged as {category?.toLowerCase()}, also within the
        24-hour window:
      </Text>
      <List size="sm">
        {markets.slice(0, SHOWN).map(({ market, name, count, price, cost }) => (
          <List.Item key={market}>
            {market === '*' ? name : `+${market} ${name}`}: {number(count)}{' '}
            {price === null || cost === null ? '· no rate' : `× ${money(price, currency)} = ${money(cost, currency)}`}
          </List.Item>
        ))}
        {markets.length > SHOWN && <List.Item>{counted(markets.length - SHOWN, 'more market')}</List.Item>}
      </List>
      {without_rate > 0 && (
        <Text size="sm" mt={4}>
          The rate card has no rate for {counted(without_rate, 'recipient')} in{' '}
          {unknown
            .map(({ name }) => name)
            .slice(0, SHOWN)
            .join('; ')}
          ; the sum lacks them.
        </Text>
      )}
    </Alert>
  );
}
