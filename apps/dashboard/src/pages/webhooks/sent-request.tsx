import { Code, Stack, Text } from '@mantine/core';
import { counted } from '../../components/format-number';
import { quoted } from '../../components/shell-quote';
import { Snippet } from '../../components/snippet';
import { type Delivery } from './webhook';

export const WRAPPED = { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' } as const;

/** The sent request: in full for tests and redeliveries, otherwise its JSON body. */
export function SentRequest({ delivery: { request, payload } }: { delivery: Delivery }) {
  if (!request)
    return (
      <Code block style={WRAPPED}>
        {JSON.stringify(payload, null, 2)}
      </Code>
    );
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
  const curl = [`curl -i ${quoted(request.url)}`, ...headers.map((line) => `-H ${quoted(line)}`), `--data-raw ${quoted(request.body)}`];
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        Headers
      </Text>
      <Code block style={WRAPPED}>
        {headers.join('\n')}
      </Code>
      <Text size="sm" fw={600}>
        Body, {counted(new TextEncoder().encode(request.body).length, 'byte')}
      </Text>
      <Code block style={WRAPPED}>
        {request.body}
      </Code>
      <Text size="sm" fw={600}>
        The same request with curl
      </Text>
      <Snippet text={curl.join(' \\\n  ')} label="Copy the curl line" />
    </Stack>
  );
}
