import { Text } from '@mantine/core';
import type { ThreadMessage } from './thread-message';

/** The values that the customer entered into a flow. */
export function FlowAnswers({ title, response = {} }: NonNullable<ThreadMessage['interactive']>) {
  return (
    <>
      <Text size="sm" fw={600} dir="auto">
        Completed {title || 'a flow'}
      </Text>
      {Object.entries(response).map(([name, value]) => (
        <Text key={name} size="sm" dir="auto">
          {name}: {typeof value === 'string' ? value : JSON.stringify(value)}
        </Text>
      ))}
    </>
  );
}
