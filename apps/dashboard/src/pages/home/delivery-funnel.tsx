import { Anchor, Group, Progress, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Period, Totals } from '../../api/message-counts';
import { number, rate } from '../../components/format-number';

/** Each step, and the meaning of its count. */
const STEPS = [
  { name: 'accepted', label: 'Accepted', about: 'Passed every check here' },
  { name: 'sent', label: 'Sent', about: 'Accepted by WhatsApp' },
  { name: 'delivered', label: 'Delivered', about: 'Arrived on the phone' },
  { name: 'read', label: 'Read', about: 'Opened; people may hide it' },
  { name: 'failed', label: 'Failed', about: 'Refused by WhatsApp, or failed later' },
] as const;

/** How far the messages of the period came; the shares are of the accepted ones. */
export function DeliveryFunnel({ totals, period }: { totals: Totals; period: Period }) {
  return (
    <Stack gap="sm">
      {STEPS.map(({ name, label, about }) => (
        <div key={name}>
          <Group justify="space-between" gap="xs">
            <Text size="sm" title={about}>
              {name === 'failed' && totals.failed > 0 ? (
                <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/messages" search={{ period, status: 'failed' }} />}>
                  {label}
                </Anchor>
              ) : (
                label
              )}
            </Text>
            <Text size="sm" c="dimmed">
              {number(totals[name])}
              {name !== 'accepted' && totals.accepted > 0 && ` · ${rate(totals[name], totals.accepted)}`}
            </Text>
          </Group>
          <Progress
            color={name === 'failed' ? 'red' : 'green'}
            value={totals.accepted === 0 ? 0 : (totals[name] / totals.accepted) * 100}
            aria-label={`${label}: ${about}`}
          />
        </div>
      ))}
      <Text size="xs" c="dimmed">
        Shares of the accepted messages; the card Delivered divides by those sent. The message log has the accepted ones. Usage counts what
        WhatsApp refused apart from later failures.
      </Text>
    </Stack>
  );
}
