import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, request, type Schemas } from '../../api/client';
import { NumberFacts } from '../../components/number-facts';
import { QueryResult } from '../../components/query-result';
import { RelativeTime } from '../../components/relative-time';
import { CheckList } from './check-list';

/** WhatsApp allows 200 such calls an hour, so the list refreshes itself only while something is missing. */
const RECHECK_MS = 30_000;

/** The live check list. */
export function CheckStep({ connection }: { connection: Schemas['Connection'] }) {
  const checks = useQuery({
    queryKey: ['connection-checks'],
    queryFn: () => request(api.GET('/api/client/connection/checks')),
    refetchInterval: ({ state }) => (state.data?.checks.every(({ state: one }) => one === 'ok') ? false : RECHECK_MS),
    refetchOnWindowFocus: false,
  });
  const isDone = checks.data?.checks.every(({ state }) => state === 'ok');
  return (
    <Stack>
      {connection.display_phone_number && (
        <Group gap="var(--mantine-spacing-xs) var(--mantine-spacing-xl)">
          <NumberFacts connection={connection} />
        </Group>
      )}
      <QueryResult query={checks} rows={7}>
        {({ checks: list }) => <CheckList checks={list} />}
      </QueryResult>
      <Group gap="sm">
        <Button variant="default" loading={checks.isFetching} onClick={() => void checks.refetch()}>
          Check again
        </Button>
        {checks.data && (
          <Text size="sm" c="dimmed">
            Checked <RelativeTime at={checks.data.checked_at} />
          </Text>
        )}
      </Group>
      {isDone && (
        <Text size="sm">
          Everything works. Next:{' '}
          <Anchor component={Link} to="/templates" size="sm" underline="always">
            send yourself a template
          </Anchor>
          .
        </Text>
      )}
    </Stack>
  );
}
