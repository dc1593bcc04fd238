import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useNow } from './clock';
import { type Business, useKeys, shareOf, resets } from './busiest-key';

/** Shows that a key has reached its daily cap and when the cap resets. */
export function CapBanner({ business }: { business: Business }) {
  const now = useNow();
  const full = useKeys(now)?.filter((key) => shareOf(key) >= 1) ?? [];
  if (business.plan === 'Starter' || full.length === 0) return null;
  const names = new Intl.ListFormat('en').format(full.map(({ name }) => name));
  return (
    <Alert
      role="alert"
      color="red"
      mb="md"
      icon={<IconAlertTriangle />}
      title={`Today’s cap is used up: ${names}`}
      style={{ overflowWrap: 'anywhere' }}
    >
      Sends with {full.length === 1 ? 'this key' : 'these keys'} are refused with DAILY_LIMIT_REACHED for {resets(business, now)}. Replies
      in the inbox and broadcasts go on.
    </Alert>
  );
}
