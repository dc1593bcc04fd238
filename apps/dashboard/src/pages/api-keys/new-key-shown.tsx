import { Alert, Button, Stack, Text } from '@mantine/core';
import { Snippet } from '../../components/snippet';

interface NewKeyShownProps {
  secret: string;
  message: string;
  done: () => void;
}

export function NewKeyShown({ secret, message, done }: NewKeyShownProps) {
  const curl = `curl ${window.location.origin}/api/v1/health -H 'X-API-Key: ${secret}'`;
  return (
    <Stack>
      <Alert role="alert" color="yellow" title={message} />
      <Snippet text={secret} label="Copy the key" />
      <Text size="sm" fw={600}>
        Try it
      </Text>
      <Snippet text={curl} />
      <Snippet text={`GATEWAY_API_KEY=${secret}`} label="Copy the line for .env" />
      <Button onClick={done}>I have saved it</Button>
    </Stack>
  );
}
