import { Box, Group, Text } from '@mantine/core';
import { IconUserCircle } from '@tabler/icons-react';
import { CopyIcon } from '../../components/copy-icon';
import { cardsOf } from './untyped-details';

export function ContactCards({ contacts }: { contacts: unknown[] }) {
  return cardsOf(contacts).map(({ name, lines }, i) => (
    <Group key={i} gap="sm" wrap="nowrap" align="flex-start" miw={200} mb={4}>
      <IconUserCircle size={36} stroke={1.2} style={{ flexShrink: 0 }} aria-hidden />
      <Box style={{ minWidth: 0 }}>
        <Text size="sm" fw={600} dir="auto">
          {name}
        </Text>
        {lines.map((line) => (
          <Group key={line} gap={4} wrap="nowrap">
            <Text size="sm" dir="auto">
              {line}
            </Text>
            <CopyIcon value={line} label={`Copy ${line}`} />
          </Group>
        ))}
      </Box>
    </Group>
  ));
}
