import { Anchor, List, Text, ThemeIcon } from '@mantine/core';
import { IconCheck, IconCircleDashed } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';

interface FirstStep {
  done: boolean;
  label: string;
  to: string;
  /** The role that takes the step, if the reader may not. */
  by?: string;
}

export function FirstSteps({ steps }: { steps: FirstStep[] }) {
  return (
    <List spacing="sm" center>
      {steps.map(({ done, label, to, by }) => (
        <List.Item
          key={label}
          icon={
            <ThemeIcon size={22} radius="xl" variant={done ? 'filled' : 'default'}>
              {done ? <IconCheck size={14} /> : <IconCircleDashed size={14} />}
            </ThemeIcon>
          }
        >
          {done ? (
            <Text td="line-through">{label}</Text>
          ) : by ? (
            <Text>
              {label} ({by})
            </Text>
          ) : (
            <Anchor component={Link} to={to}>
              {label}
            </Anchor>
          )}
        </List.Item>
      ))}
    </List>
  );
}
