import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useSyncExternalStore } from 'react';
import { queries } from '../api/client';
import { OfflineNotice } from './offline-notice';
import { useIsOnline } from './use-is-online';

const cache = queries.getQueryCache();

const watchQueries = (changed: () => void) => cache.subscribe(changed);

const isOutdated = () =>
  cache.getAll().some((query) => query.isActive() && query.state.status === 'error' && query.state.data !== undefined);

/** Warns that the page shows old data while the browser is offline or refreshing fails. */
export function OutdatedNotice() {
  const isOnline = useIsOnline();
  const fails = useSyncExternalStore(watchQueries, isOutdated);
  if (!isOnline) return <OfflineNotice />;
  if (!fails) return null;
  return (
    <Alert role="alert" color="yellow" mb="md" icon={<IconAlertTriangle />} title="This page may be out of date">
      <Group gap="sm">
        <Text size="sm">Refreshing failed.</Text>
        <Button size="compact-sm" variant="default" onClick={() => void queries.refetchQueries({ type: 'active' })}>
          Try again
        </Button>
      </Group>
    </Alert>
  );
}
