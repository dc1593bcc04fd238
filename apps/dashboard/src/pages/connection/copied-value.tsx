import { Group, Text } from '@mantine/core';
import { CopyIcon } from '../../components/copy-icon';
import { Dimmed } from '../../components/dimmed';

/** A value to copy to Meta's console. */
export function CopiedValue({ label, value }: { label: string; value: string }) {
  return (
    <Group justify="space-between" wrap="nowrap">
      <Dimmed>{label}</Dimmed>
      <Group gap={4} wrap="nowrap">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {value}
        </Text>
        <CopyIcon value={value} label={`Copy the ${label.toLowerCase()}`} />
      </Group>
    </Group>
  );
}
