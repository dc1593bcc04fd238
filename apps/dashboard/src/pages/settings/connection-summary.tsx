import { Alert, Button, Card, Group, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client';
import { useMayCall } from '../../api/session';
import { NumberFacts } from '../../components/number-facts';
import { RelativeTime } from '../../components/relative-time';
import { StateBadge } from '../../components/state-badge';

/** The connected number and its state. The steps and checks have their own page. */
export function ConnectionSummary({ connection }: { connection: Schemas['Connection'] }) {
  const mayChange = useMayCall('PUT /api/client/connection');
  const isSaved = connection.status !== 'not_connected';
  return (
    <Card withBorder>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h5">
          WhatsApp connection
        </Title>
        <Group gap="xs">
          <StateBadge of={connection.status} />
          <Text size="sm" c="dimmed">
            {connection.checked_at && 'Checked '}
            <RelativeTime at={connection.checked_at} never="Not checked yet" />
          </Text>
        </Group>
      </Group>
      {connection.problem && (
        <Alert color="red" mb="sm">
          {connection.problem}
        </Alert>
      )}
      {isSaved ? (
        <Group gap="var(--mantine-spacing-xs) var(--mantine-spacing-xl)" mb="md">
          <NumberFacts connection={connection} />
        </Group>
      ) : (
        <Text size="sm" mb="md">
          {mayChange ? 'Five steps connect your number, with the way to each value in Meta’s console.' : 'An owner connects the number.'}
        </Text>
      )}
      <Group>
        {isSaved && (
          <Button variant="default" renderRoot={(props) => <Link {...props} to="/settings/connection" search={{ step: 'check' }} />}>
            Check each part
          </Button>
        )}
        {mayChange && (
          <Button
            variant={isSaved ? 'default' : 'filled'}
            renderRoot={(props) => <Link {...props} to="/settings/connection" search={{ step: 'number' }} />}
          >
            {isSaved ? 'Change the connection' : 'Connect the number'}
          </Button>
        )}
      </Group>
    </Card>
  );
}
