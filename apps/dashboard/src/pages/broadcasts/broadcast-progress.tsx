import { Progress, Text } from '@mantine/core';
import { number } from '../../components/format-number';

export function BroadcastProgress({
  sent,
  failed,
  unclear,
  pending,
  total_recipients: total,
}: Record<'sent' | 'failed' | 'unclear' | 'pending' | 'total_recipients', number>) {
  return (
    <>
      <Progress.Root size="lg" aria-label="Progress">
        <Progress.Section value={(sent / total) * 100} color="green" aria-label="Sent" />
        <Progress.Section value={(failed / total) * 100} color="red" aria-label="Failed" />
      </Progress.Root>
      <Text size="sm" c="dimmed" mt={4}>
        {number(sent)} sent · {number(failed)} failed · {number(pending)} to go
        {unclear > 0 && ` · ${number(unclear)} not confirmed by WhatsApp yet`}
      </Text>
    </>
  );
}
