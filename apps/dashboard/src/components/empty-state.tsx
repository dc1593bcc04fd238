import { Center, Paper, Stack, Text } from '@mantine/core';
import { type ReactNode } from 'react';

/** Replaces an empty list: describes what will appear there and offers the action. */
export function EmptyState({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <Paper withBorder p="xl" radius="md">
      <Center>
        <Stack align="center" gap="sm" maw={520}>
          <Text fw={600}>{title}</Text>
          <Text c="dimmed" ta="center" size="sm" component="div">
            {children}
          </Text>
          {action}
        </Stack>
      </Center>
    </Paper>
  );
}
