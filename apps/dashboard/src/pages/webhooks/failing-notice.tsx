import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useZone } from '../../api/use-zone';
import { clockTime } from '../../components/clock-time';
import type { Webhook } from './webhook';

/** Since when a webhook fails and why, what becomes of its events, and the way to redeliver them. */
export function FailingNotice({ webhook: { name, failing, is_active }, onRecover }: { webhook: Webhook; onRecover: () => void }) {
  const zone = useZone();
  if (!failing) return null;
  const { since, reason } = failing;
  return (
    <Alert
      color="red"
      mt="sm"
      icon={<IconAlertTriangle />}
      title={since ? `Deliveries fail since ${clockTime(since, zone)}` : 'Deliveries fail'}
    >
      <Stack gap="xs" align="flex-start">
        {reason !== null && (
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            Last failure: {reason}.
          </Text>
        )}
        <Text size="sm">
          {is_active === 1
            ? 'Each new event is still sent, once. Failed events are kept for 30 days. When your server responds with 200 again, redeliver them.'
            : 'It is off: new events are kept for 30 days and not sent. Turn it on when your server responds with 200 again, then redeliver them.'}
        </Text>
        <Button size="compact-sm" variant="default" aria-label={`Redeliver what failed to ${name}`} onClick={onRecover}>
          Redeliver what failed
        </Button>
      </Stack>
    </Alert>
  );
}
