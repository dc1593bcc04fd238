import { Button, Group, Select, Text } from '@mantine/core';
import { useState } from 'react';
import { shownByForm } from '../../api/client';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { Field } from '../../components/field';
import { Form } from '../../components/form';
import { NumberField } from '../../components/number-field';
import type { Business } from './business';
import { type Plan, PLAN_EFFECTS, PLANS } from './plans';
import { useChangeBusiness } from './use-change-business';
import { TitledCard } from '../../components/titled-card';

export function BusinessPlan({ business }: { business: Business }) {
  const change = useChangeBusiness(business.id, shownByForm);
  const [plan, setPlan] = useState<Plan | null>(null);
  const [limit, setLimit] = useState<number | null>(null);
  return (
    <TitledCard title="Plan and limits">
      <Form onSubmit={() => limit !== null && change.mutate({ broadcast_daily_limit: limit })} error={change.error}>
        <Group align="flex-start">
          <Select
            label={`Plan of ${business.name}`}
            maw="100%"
            styles={{ label: { overflowWrap: 'anywhere' } }}
            data={[...PLANS]}
            value={business.plan}
            allowDeselect={false}
            onChange={(value) => value && value !== business.plan && setPlan(value as Plan)}
          />
          <Field name="broadcast_daily_limit">
            <NumberField
              label="Broadcast recipients a day"
              min={0}
              max={1_000_000}
              value={limit ?? business.broadcast_daily_limit}
              onChange={setLimit}
            />
          </Field>
          <Button
            type="submit"
            mt={25}
            variant="default"
            disabled={limit === null || limit === business.broadcast_daily_limit}
            loading={change.isPending}
          >
            Save the limit
          </Button>
        </Group>
      </Form>
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
