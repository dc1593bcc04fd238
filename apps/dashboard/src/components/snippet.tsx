import { Code, Group } from '@mantine/core';
import { CopyIcon } from './copy-icon';

/** Text to copy: a command, a key or an address. */
export function Snippet({ text, label }: { text: string; label?: string }) {
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <Code block style={{ flex: 1, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {text}
      </Code>
      <CopyIcon value={text} label={label ?? 'Copy'} />
    </Group>
  );
}
