import { Button, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { number } from '../../components/format-number';
import { RelativeTime } from '../../components/relative-time';
import { StateBadge } from '../../components/state-badge';
import type { BusinessDetail } from './business';
import { type Key, KeyLimits } from './key-limits';
import { TitledCard } from '../../components/titled-card';
import { FormModal } from '../../components/form-modal';
import { DataTable } from '../../components/data-table';
import { Dimmed } from '../../components/dimmed';
import { TYPED } from '../../components/typed-text';

export function BusinessKeys({ keys }: { keys: BusinessDetail['api_keys'] }) {
  const [changed, setChanged] = useState<Key | null>(null);
  return (
    <TitledCard title="API keys">
      {keys.length === 0 ? (
        <Text c="dimmed">The business has no API key.</Text>
      ) : (
        <DataTable
          minWidth={640}
          columns={[
            'Key',
            { children: 'A minute', ta: 'right' },
            { children: 'A day', ta: 'right' },
            { children: 'Today', ta: 'right' },
            'Last use',
            'Expires',
            'Limits',
          ]}
        >
          {keys.map((key) => (
            <Table.Tr key={key.id}>
              <Table.Td {...TYPED}>{key.name}</Table.Td>
              <Table.Td ta="right">{number(key.per_minute_limit)}</Table.Td>
              <Table.Td ta="right">{number(key.daily_limit)}</Table.Td>
              <Table.Td ta="right">{key.used_today === null ? '?' : number(key.used_today)}</Table.Td>
              <Table.Td>
                <RelativeTime at={key.last_used_at} />
                <Dimmed size="xs">{key.last_ip}</Dimmed>
              </Table.Td>
              <Table.Td>
                <RelativeTime at={key.expires_at} />
              </Table.Td>
              <Table.Td>
                {key.revoked_at ? (
                  <StateBadge of="failed" label="revoked" />
                ) : (
                  <Button
                    size="compact-sm"
                    variant="default"
                    aria-label={`Change ${key.name}, ${key.prefix}…${key.last_four}`}
                    onClick={() => setChanged(key)}
                  >
                    Change
                  </Button>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </DataTable>
      )}
      <FormModal opened={changed !== null} onClose={() => setChanged(null)} title={`Change ${changed?.name ?? ''}`}>
        {changed && <KeyLimits apiKey={changed} done={() => setChanged(null)} />}
      </FormModal>
    </TitledCard>
  );
}
