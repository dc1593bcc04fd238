import '@mantine/core/styles/ColorSwatch.css';
import { ColorSwatch, Group, Text } from '@mantine/core';
import type { Part } from './bar';

/** Names the color of each part of stacked bars. */
export function PartsLegend({ parts }: { parts: Part[] }) {
  return (
    <Group gap="sm" mt="sm" justify="flex-end">
      {parts.map((part) => (
        <Group key={part.name} gap={6}>
          <ColorSwatch color={partColor(part)} size={12} withShadow={false} />
          <Text size="xs">{part.name}</Text>
        </Group>
      ))}
    </Group>
  );
}

export const partColor = ({ color, dark = color }: Part): string =>
  `light-dark(var(--mantine-color-${color}), var(--mantine-color-${dark}))`;
