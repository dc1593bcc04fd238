import { Button, Modal, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { number } from '../../components/format-number';
import { RelativeTime } from '../../components/relative-time';
import { scrollableByKeyboard } from '../../components/scrollable-by-keyboard';
import { StateBadge } from '../../components/state-badge';
import type { BusinessDetail } from './business';
import { BusinessCard } from './business-card';
import { type Key, KeyLimits } from './key-limits';

export function BusinessKeys({ keys }: { keys: BusinessDetail['api_keys'] }) {
  const [changed, setChanged] = useState<Key | null>(null);
  return (
    <BusinessCard title="API keys">
      {keys.length === 0 ? (
        <Text c="dimmed">The business has no API key.</Text>
      ) : (
        <Table.ScrollContainer minWidth={640} scrollAreaProps={scrollableByKeyboard}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Key</Table.Th>
                <Table.Th ta="right">A minute</Table.Th>
                <Table.Th ta="right">A day</Table.Th>
                <Table.Th ta="right">Today</Table.Th>
                <Table.Th>Last use</Table.Th>
                <Table.Th>Expires</Table.Th>
                <Table.Th>Limits</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {keys.map((key) => (
                <Table.Tr key={key.id}>
                  <Table.Td>{key.name}</Table.Td>
                  <Table.Td ta="right">{number(key.per_minute_limit)}</Table.Td>
                  <Table.Td ta="right">{number(key.daily_limit)}</Table.Td>
                  <Table.Td ta="right">{key.used_today === null ? '?' : number(key.used_today)}</Table.Td>
                  <Table.Td>
                    <RelativeTime at={key.last_used_at} />
                    <Text size="xs" c="dimmed">
                      {key.last_ip}
                    </Text>
                  </Table.Td>
                  <Table.Td>
                    <RelativeTime at={key.expires_at} />
                  </Table.Td>
                  <Table.Td>
                    {key.revoked_at ? (
                      <StateBadge of="failed" label="revoked" />
                    ) : (
                      <Button size="compact-sm" variant="default" onClick={() => setChanged(key)}>
                        Change
                      </Button>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <Modal opened={changed !== null} onClose={() => setChanged(null)} title={`Limits of ${changed?.name ?? ''}`}>
        {changed && <KeyLimits apiKey={changed} done={() => setChanged(null)} />}
      </Modal>
    </BusinessCard>
  );
}
