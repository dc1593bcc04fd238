import { Group, Stack, Text, Timeline, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, request } from '../../api/client';
import { CopyIcon } from '../../components/copy-icon';
import { PhoneBubble } from '../../components/phone-bubble';
import { StateBadge } from '../../components/state-badge';
import { Wallpaper } from '../../components/wallpaper';
import { QueryResult } from '../../components/query-result';

export function MessageDetail({ id }: { id: string }) {
  const detail = useQuery({
    queryKey: ['messages', 'one', id],
    queryFn: () => request(api.GET('/api/client/messages/{message_id}', { params: { path: { message_id: id } } })),
    refetchInterval: 2_000,
  });
  return (
    <QueryResult query={detail}>
      {({ message, timeline, webhooks }) => (
        <Stack>
          <Group gap={4} wrap="nowrap">
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {message.message_id}
            </Text>
            <CopyIcon value={message.message_id} label="Copy the message id" />
          </Group>
          <Wallpaper>
            <PhoneBubble text={message.text || `[${message.type}]`} meta={`to ${message.to}`} />
          </Wallpaper>
          <Title order={3} size="h5">
            Timeline
          </Title>
          <Timeline active={timeline.length} bulletSize={18} lineWidth={2}>
            {timeline.map(({ status, at, reason }, i) => (
              <Timeline.Item key={i} title={status}>
                <Text size="sm" c="dimmed">
                  {new Date(at).toLocaleString()}
                </Text>
                {reason && <Text size="sm">{reason}</Text>}
              </Timeline.Item>
            ))}
          </Timeline>
          <Title order={3} size="h5">
            Webhooks that received it
          </Title>
          {!webhooks?.length && (
            <Text size="sm" c="dimmed">
              {webhooks ? 'No webhook is subscribed to message.sent.' : 'Not available right now.'}
            </Text>
          )}
          {webhooks?.map((delivery) => (
            <Group key={delivery.id} justify="space-between">
              <Text size="sm">{delivery.webhook_name}</Text>
              <Group gap="xs">
                <Text size="sm" c="dimmed">
                  {[delivery.response_code, delivery.duration_ms !== null && `${delivery.duration_ms} ms`].filter(Boolean).join(' · ')}
                </Text>
                <StateBadge of={delivery.state} />
              </Group>
            </Group>
          ))}
        </Stack>
      )}
    </QueryResult>
  );
}
