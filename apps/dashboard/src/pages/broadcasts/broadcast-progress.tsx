import { Progress, Text } from '@mantine/core';
import type { Schemas } from '../../api/client';
import { counted, number } from '../../components/format-number';
import { isQueued, isWaiting } from './broadcast-phase';

export function BroadcastProgress({
  status,
  sent,
  failed,
  unclear,
  pending,
  total_recipients: total,
  scheduled_at,
  finished_at,
  sending = 0,
}: Pick<
  Schemas['Broadcast'],
  'status' | 'sent' | 'failed' | 'unclear' | 'pending' | 'total_recipients' | 'scheduled_at' | 'finished_at'
> & {
  /** Pending ones whose message is on its way; the list of broadcasts does not have it. */
  sending?: number | undefined;
}) {
  // While it runs, the next messages are always on their way.
  const onTheirWay = status === 'running' ? 0 : sending;
  const left = pending - onTheirWay;
  const waits = isWaiting({ status, pending, unclear });
  return (
    <>
      <Progress.Root size="lg" aria-label="Progress">
        <Progress.Section value={(sent / total) * 100} color="green" aria-label="Sent" />
        <Progress.Section value={(failed / total) * 100} color="red" aria-label="Failed" />
      </Progress.Root>
      <Text size="sm" c="dimmed" mt={4}>
        {number(sent)} sent · {number(failed)} failed
        {finished_at === null && !waits && ` · ${number(left)} to go`}
        {finished_at !== null && left > 0 && ` · ${number(left)} not sent`}
        {onTheirWay > 0 && ` · ${number(onTheirWay)} on ${onTheirWay === 1 ? 'its' : 'their'} way`}
        {waits
          ? ` · waiting for ${counted(unclear, 'confirmation')}`
          : unclear > 0 && ` · ${number(unclear)} not confirmed by WhatsApp yet`}
        {isQueued({ status, scheduled_at }) && ' · waiting to start, because one broadcast runs at a time'}
      </Text>
    </>
  );
}
