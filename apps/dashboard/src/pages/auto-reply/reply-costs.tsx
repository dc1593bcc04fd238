import { Alert, Stack } from '@mantine/core';
import type { Schemas } from '../../api/client';
import { CostSummary } from '../../components/cost-summary';
import { Dimmed } from '../../components/dimmed';
import { money } from '../../components/money';
import { TitledCard } from '../../components/titled-card';

/** The cost of automatic replies, and how much of the day's limit is used. */
export function ReplyCosts({ settings }: { settings: Schemas['AutoReply'] }) {
  const { costs, daily_cost_limit: limit, counted_today } = settings;
  const currency = costs?.currency ?? null;
  return (
    <TitledCard title="Costs">
      <Stack gap="xs">
        <Dimmed>WhatsApp charges each reply like a utility template; only the 72 hours after a click on an ad are free.</Dimmed>
        {costs === null ? (
          <Dimmed>Costs are not available now.</Dimmed>
        ) : (
          <>
            <Dimmed>Today</Dimmed>
            <CostSummary currency={currency} {...costs.today} />
            <Dimmed>This month</Dimmed>
            <CostSummary currency={currency} {...costs.month} />
          </>
        )}
        {limit !== null &&
          (currency === null ? (
            <Alert color="yellow" title="No replies are sent">
              There is a cost limit, and the operator has not loaded a rate card. Remove the limit, or ask the operator.
            </Alert>
          ) : (
            <Dimmed>
              {money(counted_today, currency)} of {money(limit, currency)} are counted today. Replies stop when the next one would exceed
              the limit, and begin again at midnight.
            </Dimmed>
          ))}
      </Stack>
    </TitledCard>
  );
}
