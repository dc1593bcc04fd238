import { Group, Text, UnstyledButton } from '@mantine/core';
import { STEPS, type Step } from './steps';

/** The four steps of a new broadcast. @param reached the last step that can be opened */
export function StepsBar({ current, reached, onStep }: { current: Step; reached: number; onStep: (step: Step) => void }) {
  return (
    <Group component="nav" aria-label="Steps" gap="xs">
      {STEPS.map(({ name, label }, i) => (
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
