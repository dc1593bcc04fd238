import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useZone } from '../../api/use-zone';
import { clockTime } from '../../components/clock-time';
import type { Webhook } from './webhook';

interface FailingNoticeProps {
  webhook: Webhook;
  /** Whether it also says what becomes of the events and what to do; a list says that once. */
  isComplete: boolean;
  onRecover: () => void;
}

/** Since when a webhook fails and why, and the way to redeliver its events. */
export function FailingNotice({ webhook: { name, failing, is_active }, isComplete, onRecover }: FailingNoticeProps) {
  const zone = useZone();
  if (!failing) return null;
  const { since, reason } = failing;
  const isOn = is_active === 1;
  const text = [
    reason !== null && `Last failure: ${reason}.`,
    !isOn && 'It is off: new events are kept for 30 days and not sent.',
    isComplete &&
      (isOn
        ? 'Each new event is still sent, once, and failed ones are kept for 30 days. When your server responds with 200 again, redeliver them.'
        : 'Turn it on when your server responds with 200 again, then redeliver them.'),
  ];
  return (
    <Alert
      color="red"
      mt="sm"
      p="sm"
      icon={<IconAlertTriangle />}
      title={since ? `Deliveries fail since ${clockTime(since, zone)}` : 'Deliveries fail'}
    >
      <Group gap="xs" justify="space-between">
        <Text size="sm" style={{ flex: '1 1 280px', overflowWrap: 'anywhere' }}>
          {text.filter(Boolean).join(' ')}
        </Text>
        <Button size="compact-sm" variant="default" aria-label={`Redeliver what failed to ${name}`} onClick={onRecover}>
          Redeliver what failed
        </Button>
      </Group>
    </Alert>
  );
}
