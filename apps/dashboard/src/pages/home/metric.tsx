import { Group, Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';

export function Metric({ label, value, children }: { label: string; value: string; children?: ReactNode }) {
  return (
    <Paper withBorder p="md" radius="md">
      <Text size="sm" fw={550} c="dimmed">
        {label}
      </Text>
      <Group align="baseline" gap="xs" mih={66} style={{ alignContent: 'flex-start' }}>
        <Text fz={27} fw={700} lh={1.2} style={{ letterSpacing: '-0.02em' }}>
          {value}
        </Text>
        <Text component="div" size="sm" c="dimmed">
          {children}
        </Text>
      </Group>
    </Paper>
  );
}
