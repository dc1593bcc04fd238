import { List, Text } from '@mantine/core';

/** The way through Meta's pages. */
export function WhereToFind({ steps }: { steps: readonly string[] }) {
  return (
    <List type="ordered" spacing={6} size="sm" maw={680}>
      {steps.map((step) => (
        <List.Item key={step}>
          <Text size="sm" span style={{ overflowWrap: 'anywhere' }}>
            {step}
          </Text>
        </List.Item>
      ))}
    </List>
  );
}
