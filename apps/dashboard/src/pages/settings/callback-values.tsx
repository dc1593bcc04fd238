import { Group, Text } from '@mantine/core';
import { CopyIcon } from '../../components/copy-icon';

export function CallbackValues({ label, value }: { label: string; value: string }) {
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Group gap={4} wrap="nowrap">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {value}
        </Text>
        <CopyIcon value={value} label={`Copy the ${label.toLowerCase()}`} />
      </Group>
    </Group>
  );
}
