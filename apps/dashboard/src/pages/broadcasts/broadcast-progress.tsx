import { Progress, Text } from '@mantine/core';
import type { Schemas } from '../../api/client';
import { counted, number } from '../../components/format-number';
import { isWaiting } from './broadcast-phase';

export function BroadcastProgress({
  status,
  sent,
  failed,
  unclear,
  pending,
  total_recipients: total,
  finished_at,
}: Pick<Schemas['Broadcast'], 'status' | 'sent' | 'failed' | 'unclear' | 'pending' | 'total_recipients' | 'finished_at'>) {
  const waits = isWaiting({ status, pending, unclear });
  return (
    <>
      <Progress.Root size="lg" aria-label="Progress">
        <Progress.Section value={(sent / total) * 100} color="green" aria-label="Sent" />
        <Progress.Section value={(failed / total) * 100} color="red" aria-label="Failed" />
      </Progress.Root>
      <Text size="sm" c="dimmed" mt={4}>
        {number(sent)} sent · {number(failed)} failed
        {finished_at === null && !waits && ` · ${number(pending)} to go`}
        {finished_at !== null && pending > 0 && ` · ${number(pending)} not sent`}
        {waits
          ? ` · waiting for ${counted(unclear, 'confirmation')}`
          : unclear > 0 && ` · ${number(unclear)} not confirmed by WhatsApp yet`}
      </Text>
    </>
  );
}
