import { Alert, Text } from '@mantine/core';
import type { Schemas } from '../../api/client';
import { useZone } from '../../api/use-zone';
import { clockTime, dayIn, momentDate } from '../../components/clock-time';
import { counted, isOrAre, number } from '../../components/format-number';

type DailyLimitNoticeProps = Schemas['BroadcastCheck']['daily_limit'] & { tooMany: boolean; startsAt?: Date | null };

/** How many people the business may still write to on the day of the broadcast. @param startsAt null for a start at once */
export function DailyLimitNotice({ limit, left, resets_at, tooMany, startsAt = null }: DailyLimitNoticeProps) {
  const zone = useZone();
  const start = (startsAt ?? new Date()).toISOString();
  const day = dayIn(zone, start) === dayIn(zone, new Date().toISOString()) ? 'today' : `on ${momentDate(start, zone)}`;
  const rest =
    limit === 0
      ? 'Your business may send no broadcasts.'
      : `${number(left)} of ${counted(limit, 'recipient')} ${isOrAre(left)} left ${day}.`;
  if (!tooMany)
    return (
      <Text size="sm" c="dimmed">
        {rest}
      </Text>
    );
  return (
    <Alert color="yellow" role="alert" title="More recipients than the daily limit allows">
      {rest} {limit > 0 && `More follow at ${clockTime(resets_at, zone)}; shorten the list, or ask`}
      {limit === 0 && 'Ask'} the operator for a higher limit.
    </Alert>
  );
}
