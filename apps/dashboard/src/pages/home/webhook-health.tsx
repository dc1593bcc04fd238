import { Anchor, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, request, type Schemas } from '../../api/client';
import { DeliveryRate } from '../../components/delivery-rate';
import { StateBadge } from '../../components/state-badge';
import { counted, number } from '../../components/format-number';

type Webhook = Schemas['Webhooks']['webhooks'][number];

/** More webhooks would push the latest messages out of sight. */
const MOST = 5;
const isFailing = ({ is_active, fail_count }: Webhook): boolean => is_active === 1 && fail_count > 0;
/** Failing ones first, then those whose deliveries failed in the last 24 hours: events of them may wait to be recovered. */
const rank = (webhook: Webhook): number => (isFailing(webhook) ? 0 : webhook.last_24_hours?.some(({ failed }) => failed > 0) ? 1 : 2);

/** The deliveries of webhooks in the last 24 hours, with each log one click away. If there are many, it shows a few, failing ones first. */
export function WebhookHealth({ webhooks }: { webhooks: Webhook[] }) {
  if (webhooks.length === 0)
    return (
      <Text c="dimmed" size="sm">
        No webhook yet.{' '}
        <Anchor inherit td="underline" renderRoot={(props) => <Link {...props} to="/webhooks" />}>
          Add one
        </Anchor>{' '}
        to receive events on your server.
      </Text>
    );
  const failing = webhooks.filter(isFailing);
  const shown = webhooks.length > MOST ? webhooks.toSorted((a, b) => rank(a) - rank(b)).slice(0, MOST) : webhooks;
  return (
    <Stack gap="sm">
      {shown.map((webhook) => (
        <div key={webhook.id}>
          <Group justify="space-between" gap="xs">
            <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere', minWidth: 0, flex: 1 }}>
              {webhook.name}
            </Text>
            {webhook.is_active !== 1 ? (
              <StateBadge of="pending" label="off" />
            ) : (
              webhook.fail_count > 0 && <StateBadge of="failed" label={`${counted(webhook.fail_count, 'failure')} in a row`} />
            )}
          </Group>
          <DeliveryRate webhook={webhook} />
          <DeliveriesLink webhook={webhook} />
        </div>
      ))}
      {webhooks.length > MOST && (
        <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/webhooks" />}>
          All {number(webhooks.length)} webhooks
          {failing.length > 0 && `, ${number(failing.length)} failing`}
        </Anchor>
      )}
    </Stack>
  );
}

/** Names failed events as long as one waits for its redelivery. The counts by hour also have the redelivered ones, so it looks into the log. */
function DeliveriesLink({ webhook: { id, name, fail_count, last_24_hours = [] } }: { webhook: Webhook }) {
  const failed = last_24_hours.filter((hour) => hour.failed > 0);
  const from = failed[0]?.hour;
  const left = useQuery({
    // Not under `home`: live events would repeat the search each second.
    queryKey: ['webhook-failed', id, from],
    queryFn: () => hasFailedEvent(id, from ?? ''),
    enabled: fail_count === 0 && from !== undefined,
    refetchInterval: 60_000,
  });
  const hasFailed = fail_count > 0 || left.data === true;
  return (
    <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/webhooks" search={{ id: String(id) }} />}>
      {hasFailed ? 'See and recover failed events' : 'Deliveries'}
      <VisuallyHidden> of {name}</VisuallyHidden>
    </Anchor>
  );
}

const DAY_MS = 86_400_000;
/** Bounds the search if tests fill the log. */
const MAX_PAGES = 5;

/** @param hour the hour in which the first failure ended @returns whether an event other than a test still has the state `failed` */
async function hasFailedEvent(id: number, hour: string): Promise<boolean> {
  // The log filters by the time at which a delivery was created, which may be long before its attempt ended.
  const from = new Date(Date.parse(hour) - DAY_MS).toISOString();
  let cursor = '';
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = { state: 'failed' as const, from, limit: 100, ...(cursor && { cursor }) };
    const { deliveries, next_cursor } = await request(api.GET('/api/client/webhooks/{id}/deliveries', { params: { path: { id }, query } }));
    if (deliveries.some(({ event_id }) => !event_id.startsWith('test:'))) return true;
    if (next_cursor === null) return false;
    cursor = next_cursor;
  }
  return false;
}
