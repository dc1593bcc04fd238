import { Alert, Text } from '@mantine/core';
import type { Schemas } from '../../api/client';
import { number } from '../../components/format-number';
import { clockTime } from '../../components/clock-time';

/** How many people the business may still write to on the day of the broadcast. */
export function DailyLimitNotice({ limit, left, resets_at, tooMany }: Schemas['BroadcastCheck']['daily_limit'] & { tooMany: boolean }) {
  const rest = limit === 0 ? 'Your plan includes no broadcasts.' : `${number(left)} of ${number(limit)} recipients are left today.`;
  if (!tooMany)
    return (
      <Text size="sm" c="dimmed">
        {rest}
      </Text>
    );
  return (
    <Alert color="yellow" role="alert" title="More recipients than the daily limit allows">
      {rest} {limit > 0 && `More follow at ${clockTime(resets_at)}; shorten the list, or ask`}
      {limit === 0 && 'Ask'} the operator for a higher limit.
    </Alert>
  );
}
