import { Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { LoadFailed } from './load-failed';
import { RELOAD_MS } from '../api/client';
import { UnreachableError } from '../load-page';
import { useIsOnline } from './use-is-online';
import { useTitle } from './use-title';

/** Stands in the frame in place of a page that crashed or did not load (decision 631). It tries again when the network returns, and while the gateway does not respond. */
export function PageError({ error, retry }: { error: unknown; retry: () => void }) {
  const isOnline = useIsOnline();
  useTitle('This page could not be opened');
  const latest = useRef(retry);
  latest.current = retry;
  useEffect(() => {
    const again = () => latest.current();
    window.addEventListener('online', again);
    const timer = error instanceof UnreachableError ? setInterval(again, RELOAD_MS) : undefined;
    return () => {
      window.removeEventListener('online', again);
      clearInterval(timer);
    };
  }, [error]);
  return (
    <Stack p="md">
      <Title order={1} size="h2">
        This page could not be opened
      </Title>
      {isOnline ? <LoadFailed error={error} retry={retry} /> : <Text>It opens when you are online again.</Text>}
    </Stack>
  );
}
