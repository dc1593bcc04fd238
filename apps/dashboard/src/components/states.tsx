import { Alert, Anchor, Button, Center, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore, type ReactNode } from 'react';
import { ApiError, queries } from '../api/client';

/** The name of the page on its tab and in the browser's history. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Messaging gateway`;
  }, [title]);
}

const cache = queries.getQueryCache();
const watchQueries = (changed: () => void) => cache.subscribe(changed);
const isOutdated = () =>
  cache.getAll().some((query) => query.isActive() && query.state.status === 'error' && query.state.data !== undefined);

/** Says that something on the page is old, as long as it could not be asked for anew. */
export function Outdated() {
  if (!useSyncExternalStore(watchQueries, isOutdated)) return null;
  return (
    <Alert color="yellow" mb="md" icon={<IconAlertTriangle />} title="What you see may be out of date">
      <Group gap="sm">
        <Text size="sm">The last try to read it anew failed.</Text>
        <Button size="compact-sm" variant="default" onClick={() => void queries.refetchQueries({ type: 'active' })}>
          Try again
        </Button>
      </Group>
    </Alert>
  );
}

export function PageTitle({ title, about, children }: { title: string; about?: string; children?: ReactNode }) {
  useTitle(title);
  return (
    <Group justify="space-between" align="flex-end" mb="lg" gap="sm">
      <div>
        <Title order={1} size="h2">
          {title}
        </Title>
        {about && (
          <Text c="dimmed" size="sm">
            {about}
          </Text>
        )}
      </div>
      <Group gap="xs">{children}</Group>
    </Group>
  );
}

export function Failed({ error, retry }: { error: unknown; retry: () => void }) {
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

/** What a list says when there is nothing in it yet: what it is for, and what to do. */
export function Empty({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <Paper withBorder p="xl" radius="md">
      <Center>
        <Stack align="center" gap="sm" maw={520}>
          <Text fw={600}>{title}</Text>
          <Text c="dimmed" ta="center" size="sm" component="div">
            {children}
          </Text>
          {action}
        </Stack>
      </Center>
    </Paper>
  );
}

export function Loading({ rows = 6 }: { rows?: number }) {
  return (
    <Stack gap="xs" aria-busy="true" aria-label="Loading">
      {Array.from({ length: rows }, (_, i) => (
        <Skeleton key={i} height={42} radius="md" />
      ))}
    </Stack>
  );
}

interface Query<T> {
  data: T | undefined;
  isError: boolean;
  error: unknown;
  refetch: () => Promise<unknown>;
}

/** One query's three states; `children` gets what it found. */
export function Loaded<T>({ query, rows, children }: { query: Query<T>; rows?: number; children: (data: T) => ReactNode }) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <Failed error={query.error} retry={() => void query.refetch()} />;
  return <Loading rows={rows ?? 6} />;
}

export function Missing() {
  useTitle('No such page');
  return (
    <Center mih="60vh">
      <Stack align="center">
        <Title order={1} size="h2">
          There is no such page
        </Title>
        <Anchor component={Link} to="/">
          Back to the start
        </Anchor>
      </Stack>
    </Center>
  );
}

export function RouteFailed({ error }: { error: unknown }) {
  return (
    <Center mih="60vh">
      <Failed error={error} retry={() => window.location.reload()} />
    </Center>
  );
}
