import { Anchor, Group, Paper, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client';
import { numberDetails } from '../../components/number-details';
import { RelativeTime } from '../../components/relative-time';

const COLORS = { connected: 'green-6', unchecked: 'gray-5', problem: 'red-6', not_connected: 'gray-5' };
const WORDS = { connected: 'Connected', unchecked: 'Not checked yet', problem: 'Connection problem', not_connected: 'Not connected' };

/** The number of the business, and whether it works. */
export function ConnectionState({ connection }: { connection: Schemas['Connection'] }) {
  const { status, checked_at, problem, verified_name } = connection;
  const { phone, quality, limit } = numberDetails(connection);
  const details = [quality && `Quality ${quality}`, limit].filter((detail) => detail !== null);
  return (
    <Paper withBorder px="md" py={8} radius="md" component="section" aria-label="Connection">
      <Group gap="sm" wrap="nowrap">
        <div style={{ width: 9, height: 9, flexShrink: 0, borderRadius: 9, background: `var(--mantine-color-${COLORS[status]})` }} />
        <div>
          <Text size="sm">
            <b>{phone ?? WORDS[status]}</b>
            {phone && verified_name && ` · ${verified_name}`}
            {phone && status !== 'connected' && ` · ${WORDS[status]}`}
          </Text>
          <Text size="xs" c="dimmed" maw={420} lineClamp={2}>
            {problem ?? details.map((detail) => `${detail} · `).join('')}
            {!problem && checked_at && 'checked '}
            {!problem && checked_at && <RelativeTime at={checked_at} />}
            {status !== 'connected' && (
              <>
                {' '}
                <Anchor component={Link} to="/settings/connection" size="xs">
                  Connection settings
                </Anchor>
              </>
            )}
          </Text>
        </div>
      </Group>
    </Paper>
  );
}
