import { Button, Group, List, Text, ThemeIcon } from '@mantine/core';
import { IconCheck, IconExclamationMark, IconQuestionMark } from '@tabler/icons-react';
import { api, request, type Schemas } from '../../api/client';
import { useMayCall } from '../../api/session';
import { useChange } from '../../api/use-change';
import { RelativeTime } from '../../components/relative-time';

type Check = Schemas['ConnectionChecks']['checks'][number];

const LABELS: Record<Check['name'], string> = {
  token: 'Access token',
  permissions: 'Permissions',
  number: 'Number',
  app_secret: 'App secret',
  subscription: 'Webhook subscription',
  callback: 'Callback URL',
  received: 'Callbacks arrive',
};
const STATES = {
  ok: { color: 'green', icon: IconCheck, word: 'Works' },
  problem: { color: 'red', icon: IconExclamationMark, word: 'Problem' },
  unknown: { color: 'gray', icon: IconQuestionMark, word: 'Not known' },
};

/** Each part of the connection, and the remedy for those that do not work. */
export function CheckList({ checks }: { checks: Check[] }) {
  const maySubscribe = useMayCall('POST /api/client/connection/subscribe');
  const subscribe = useChange(() => request(api.POST('/api/client/connection/subscribe')), 'connection-checks');
  return (
    <List spacing="md" listStyleType="none" styles={{ itemWrapper: { alignItems: 'flex-start' } }} aria-label="Checks" maw={720}>
      {checks.map(({ name, state, message, fix, at }) => {
        const { color, icon: Icon, word } = STATES[state];
        return (
          <List.Item
            key={name}
            icon={
              <ThemeIcon size={24} radius="xl" color={color} role="img" aria-label={word}>
                <Icon size={15} aria-hidden />
              </ThemeIcon>
            }
          >
            <Text size="sm" fw={600}>
              {LABELS[name]}
            </Text>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {message}
              {at && ' '}
              {at && <RelativeTime at={at} />}.
            </Text>
            {fix && (
              <Text size="sm" c="dimmed">
                {fix}
              </Text>
            )}
            {name === 'subscription' && state === 'problem' && maySubscribe && (
              <Group mt={6}>
                <Button size="xs" loading={subscribe.isPending} onClick={() => subscribe.mutate()}>
                  Subscribe
                </Button>
              </Group>
            )}
          </List.Item>
        );
      })}
    </List>
  );
}
