import { Button, Group, Select, Text } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { NumberField } from '../../components/number-field';
import type { Business } from './business';
import { type Plan, PLAN_EFFECTS, PLANS } from './plans';
import { useChangeBusiness } from './use-change-business';
import { TitledCard } from '../../components/titled-card';

export function BusinessPlan({ business }: { business: Business }) {
  const change = useChangeBusiness(business.id);
  const [plan, setPlan] = useState<Plan | null>(null);
  const [limit, setLimit] = useState<number | null>(null);
  return (
    <TitledCard title="Plan and limits">
      <Group align="flex-end">
        <Select
          label={`Plan of ${business.name}`}
          data={[...PLANS]}
          value={business.plan}
          allowDeselect={false}
          onChange={(value) => value && value !== business.plan && setPlan(value as Plan)}
        />
        <NumberField
          label="Broadcast recipients a day"
          min={0}
          max={1_000_000}
          value={limit ?? business.broadcast_daily_limit}
          onChange={setLimit}
        />
        <Button
          variant="default"
          disabled={limit === null || limit === business.broadcast_daily_limit}
          loading={change.isPending}
          onClick={() => limit !== null && change.mutate({ broadcast_daily_limit: limit })}
        >
          Save the limit
        </Button>
      </Group>
      <Text size="sm" c="dimmed" mt="xs">
        Time zone {business.timezone}. Limits of API keys are below.
      </Text>
      <ConfirmDialog
        opened={plan !== null}
        question={`Change ${business.name} from ${business.plan} to ${plan}?`}
        consequence={plan ? `${PLAN_EFFECTS[plan]} Limits that an operator set stay as they are.` : undefined}
        action={`Change to ${plan}`}
        onConfirm={() => plan && change.mutate({ plan })}
        onClose={() => setPlan(null)}
      />
    </TitledCard>
  );
}
