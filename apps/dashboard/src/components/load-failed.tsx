import { Alert, Button, Center, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useEffect } from 'react';
import { ApiError, mayPass, queries, reloadAfter } from '../api/client';
import { meQuery } from '../api/session';

/** Stands in place of the dashboard. It opens by itself when the gateway responds again (decision 777). */
export function ErrorPage({ error }: { error: unknown }) {
  useEffect(() => {
    // A page that crashed has the person’s data, and would crash again.
    if (!mayPass(error) || queries.getQueryData(meQuery.queryKey) !== undefined) return;
    const check = async () => {
      const response = await fetch('/api/client/me', { headers: { 'x-unattended': '1' } }).catch(() => null);
      if (response && response.status < 500 && response.status !== 429) window.location.reload();
    };
    const timer = setInterval(() => void check(), reloadAfter(error));
    return () => clearInterval(timer);
  }, [error]);
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
