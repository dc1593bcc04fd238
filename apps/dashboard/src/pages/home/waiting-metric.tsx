import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { inboxCountShown, inboxCountsQuery } from '../../api/inbox-counts';
import { duration, useNow } from '../../components/clock';
import { Metric } from './metric';

/** A wait from which it is marked, in milliseconds. */
const LONG_MS = 15 * 60_000;

/** Customers who wait for a reply, and the longest wait. */
export function WaitingMetric() {
  const { data } = useQuery(inboxCountsQuery);
  const now = useNow();
  const waiting = data?.counts.waiting ?? 0;
  const since = data?.waiting_since ? now - Date.parse(data.waiting_since) : 0;
  return (
    <Metric label="Waiting for a reply" value={data ? inboxCountShown(waiting) : '–'}>
      {waiting > 0 && (
        <>
          <Text span size="sm" fw={600} c={since > LONG_MS ? 'red' : 'dimmed'}>
            longest {duration(Math.max(0, since))}
          </Text>{' '}
          <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/inbox" search={{ view: 'open' }} />}>
            Open the inbox
          </Anchor>
        </>
      )}
    </Metric>
  );
}
