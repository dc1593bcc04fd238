import { Card, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../api/client';
import { keysQuery } from '../../api/api-keys';
import { useMayCall } from '../../api/session';
import { QueryResult } from '../../components/query-result';
import { FirstSteps } from './first-steps';

interface ChecklistProps {
  connection: Schemas['Connection'];
  webhooks: Schemas['Webhooks']['webhooks'];
}

/** The steps of a business that has not delivered a message yet. */
export function Checklist({ connection, webhooks }: ChecklistProps) {
  const keys = useQuery(keysQuery);
  const mayConnect = useMayCall('PUT /api/client/connection');
  const mayCreateKeys = useMayCall('POST /api/client/api-keys');
  return (
    <Card withBorder mb="md">
      <Title order={2} size="h5" mb={4}>
        First steps
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        This list goes away with the first delivered message.
      </Text>
      <QueryResult query={keys} rows={4}>
        {({ api_keys }) => (
          <FirstSteps
            steps={[
              {
                done: connection.status === 'connected',
                label: 'Connect your WhatsApp number',
                to: '/settings/connection',
                ...(!mayConnect && { by: 'an owner does this' }),
              },
              {
                done: api_keys.some(({ revoked_at }) => revoked_at === null),
                label: 'Create an API key',
                to: '/api-keys',
                ...(!mayCreateKeys && { by: 'an owner does this' }),
              },
              { done: webhooks.length > 0, label: 'Add a webhook', to: '/webhooks' },
              { done: false, label: 'Send your first message, and see it delivered', to: '/templates' },
            ]}
          />
        )}
      </QueryResult>
    </Card>
  );
}
