import { Group, Text, UnstyledButton } from '@mantine/core';
import { useEffect } from 'react';

interface StepsBarProps<Name extends string> {
  steps: readonly { name: Name; label: string }[];
  current: Name;
  /** The last step that can be opened. */
  reached: number;
  onStep: (step: Name) => void;
}

/** The steps of a task that has an address for each. */
export function StepsBar<Name extends string>({ steps, current, reached, onStep }: StepsBarProps<Name>) {
  useEffect(() => void scrollTo(0, 0), [current]);
  return (
    <Group component="nav" aria-label="Steps" gap="xs">
      {steps.map(({ name, label }, i) => (
        <UnstyledButton
          key={name}
          disabled={i > reached}
          aria-current={name === current ? 'step' : undefined}
          onClick={() => onStep(name)}
          px="sm"
          py={6}
          bg={name === current ? 'var(--mantine-primary-color-light)' : undefined}
          style={{ borderRadius: 999, whiteSpace: 'nowrap', cursor: i > reached ? 'default' : 'pointer' }}
        >
          <Text size="sm" fw={name === current ? 650 : 400} {...(i > reached && { c: 'dimmed' })}>
            {i + 1}. {label}
          </Text>
        </UnstyledButton>
      ))}
    </Group>
  );
}
