import { Stack, Text, Timeline, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, request, untilGone } from '../../api/client';
import { useZone } from '../../api/use-zone';
import { PhoneBubble } from '../../components/phone-bubble';
import { Snippet } from '../../components/snippet';
import { Wallpaper } from '../../components/wallpaper';
import { QueryResult } from '../../components/query-result';
import { phoneShown } from '../../components/phone-shown';
import { CarriedBy } from './carried-by';
import { MessageFacts } from './message-facts';
import { requestCurl } from './request-curl';
import { shownReason, shownStatus } from '../../components/shown-status';
import { statusLabel } from '../../components/state-badge';
import { exactTime } from '../../components/clock-time';
import { TYPED } from '../../components/typed-text';

export function MessageDetail({ id }: { id: string }) {
  const zone = useZone();
  const detail = useQuery({
    queryKey: ['messages', 'one', id],
    queryFn: () => request(api.GET('/api/client/messages/{message_id}', { params: { path: { message_id: id } } })),
    refetchInterval: untilGone(2_000),
  });
  const templates = useQuery({ queryKey: ['templates'], queryFn: () => request(api.GET('/api/client/templates')) });
  return (
    <QueryResult query={detail}>
      {({ message, cost, timeline, webhooks }) => {
        const curl = requestCurl(message, templates.data?.templates ?? [], window.location.origin);
        return (
          <Stack>
            <Wallpaper>
              <PhoneBubble text={message.text || `[${message.type}]`} meta={`to ${phoneShown(message.to)}`} />
            </Wallpaper>
            <MessageFacts message={message} cost={cost} />
            <Title order={3} size="h5">
              Timeline, {zone}
            </Title>
            <Timeline active={timeline.length} bulletSize={18} lineWidth={2}>
              {timeline.map(({ status, at, reason }, i) => (
                <Timeline.Item key={i} title={statusLabel(shownStatus(status, reason))}>
                  <Text size="sm" c="dimmed">
                    {exactTime(at, zone)}
                  </Text>
                  {reason && (
                    <Text size="sm" {...TYPED}>
                      {shownReason(reason)}
                    </Text>
                  )}
                </Timeline.Item>
              ))}
            </Timeline>
            <Title order={3} size="h5">
              Deliveries to webhooks
            </Title>
            {!webhooks?.length && (
              <Text size="sm" c="dimmed">
                {webhooks ? 'No webhook was subscribed to its events.' : 'Not available right now.'}
              </Text>
            )}
            {webhooks?.map((delivery) => (
              <CarriedBy key={delivery.id} delivery={delivery} />
            ))}
            <Title order={3} size="h5">
              {curl.label}
            </Title>
            <Snippet text={curl.text} />
          </Stack>
        );
      }}
    </QueryResult>
  );
}
