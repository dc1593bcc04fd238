import { Card, Group, Stack, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { useZone } from '../../api/use-zone';
import { ActionsMenu } from '../../components/actions-menu';
import { clockTime } from '../../components/clock-time';
import { DeliveryRate } from '../../components/delivery-rate';
import { FirstRows } from '../../components/first-rows';
import { counted } from '../../components/format-number';
import { RelativeTime } from '../../components/relative-time';
import { StateBadge } from '../../components/state-badge';
import { FailingNotice } from './failing-notice';
import type { Webhook } from './webhook';

interface WebhookListProps {
  webhooks: Webhook[];
  openLog: (id: number) => void;
  toggle: (change: { id: number; is_active: boolean }) => void;
  edit: (webhook: Webhook) => void;
  remove: (webhook: Webhook) => void;
}

/** Those that failed when the page opened come first, and no card moves while it is open. */
export function WebhookList({ webhooks, openLog, toggle, edit, remove }: WebhookListProps) {
  const zone = useZone();
  const [failed] = useState(() => new Set(webhooks.filter(({ failing }) => failing).map(({ id }) => id)));
  const ordered = [...webhooks.filter(({ id }) => failed.has(id)), ...webhooks.filter(({ id }) => !failed.has(id))];
  return (
    <FirstRows rows={ordered} textOf={({ name, url }) => `${name} ${url}`} search="Name or address">
      {(shown) => (
        <Stack>
          {shown.map((webhook) => (
            <Card key={webhook.id} withBorder>
              <Group justify="space-between" align="flex-start">
                <div style={{ flex: '1 1 240px', minWidth: 0, overflowWrap: 'anywhere' }}>
                  <Text component="h2" fw={600}>
                    {webhook.name}
                  </Text>
                  <Text size="sm">{webhook.url}</Text>
                  <Text size="sm" c="dimmed">
                    {webhook.events.join(', ')} · secret {webhook.has_secret ? 'set' : 'not set'} · last triggered{' '}
                    <RelativeTime at={webhook.last_triggered_at} />
                  </Text>
                  <DeliveryRate webhook={webhook} />
                  {webhook.old_secret_until && (
                    <Text size="sm" c="dimmed">
                      The old secret signs too until {clockTime(webhook.old_secret_until, zone)}
                    </Text>
                  )}
                </div>
                <Group gap="xs">
                  {!webhook.has_secret && <StateBadge of="PENDING" label="not signed" />}
                  {webhook.fail_count > 0 ? (
                    <StateBadge of="failed" label={`${counted(webhook.fail_count, 'failure')} in a row`} />
                  ) : webhook.is_active !== 1 ? (
                    <StateBadge of="pending" label="off" />
                  ) : null}
                  <Group gap="xs" wrap="nowrap">
                    <Switch
                      aria-label={`${webhook.name} is active`}
                      checked={webhook.is_active === 1}
                      onChange={(e) => toggle({ id: webhook.id, is_active: e.currentTarget.checked })}
                    />
                    <ActionsMenu
                      label={`Actions for ${webhook.name}`}
                      size="compact-md"
                      actions={[
                        { name: 'Deliveries and test events', run: () => openLog(webhook.id) },
                        { name: 'Edit', run: () => edit(webhook) },
                        { name: 'Delete', isDangerous: true, run: () => remove(webhook) },
                      ]}
                    />
                  </Group>
                </Group>
              </Group>
              <FailingNotice
                webhook={webhook}
                isComplete={webhook === shown.find(({ failing }) => failing)}
                onRecover={() => openLog(webhook.id)}
              />
            </Card>
          ))}
        </Stack>
      )}
    </FirstRows>
  );
}
