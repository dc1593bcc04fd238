import { Alert, Button, Stack, Text, Center } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { ApiError } from '../api/client';

export function ErrorPage({ error }: { error: unknown }) {
  return (
    <Center mih="60vh">
      <LoadFailed error={error} retry={() => window.location.reload()} />
    </Center>
  );
}

export function LoadFailed({ error, retry }: { error: unknown; retry: () => void }) {
  const known = error instanceof ApiError ? error : null;
  return (
    <Alert color="red" icon={<IconAlertTriangle />} title={known?.message ?? 'This could not be loaded'} role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          {[
            known?.hint ?? (known && known.status < 500 ? '' : 'The service may be starting.'),
            known?.requestId && `Request ${known.requestId}`,
          ]
            .filter(Boolean)
            .join(' ')}
        </Text>
        <Button size="xs" variant="default" onClick={retry}>
          Try again
        </Button>
      </Stack>
    </Alert>
  );
}
