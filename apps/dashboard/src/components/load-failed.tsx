import { Alert, Button, Center, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { ApiError } from '../api/client';

export function ErrorPage({ error }: { error: unknown }) {
  return (
    <Center component="main" mih="60vh">
      <Stack>
        <Title order={1} size="h2">
          This page could not be opened
        </Title>
        <LoadFailed error={error} retry={() => window.location.reload()} />
      </Stack>
    </Center>
  );
}

interface LoadFailedProps {
  error: unknown;
  isRetrying?: boolean;
  retry: () => void;
}

export function LoadFailed({ error, isRetrying = false, retry }: LoadFailedProps) {
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
        <Button size="xs" variant="default" loading={isRetrying} onClick={retry}>
          Try again
        </Button>
      </Stack>
    </Alert>
  );
}
