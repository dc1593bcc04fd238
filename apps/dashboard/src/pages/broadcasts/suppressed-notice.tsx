import { Text } from '@mantine/core';
import type { Schemas } from '../../api/client';
import { isOrAre, peopleCounted } from '../../components/format-number';

/** Whom a broadcast leaves out because they opted out or are blocked (decision 621). @param isCounted whether they use the daily limit (decision 380) */
export function SuppressedNotice({
  suppressed,
  isCounted = false,
}: Pick<Schemas['BroadcastCheck'], 'suppressed'> & { isCounted?: boolean }) {
  if (suppressed === 0) return null;
  const use = isCounted ? ' They use the daily limit all the same.' : '';
  return (
    <Text size="sm">
      {suppressed === null
        ? `The opted-out contacts in this list cannot be counted now. They get nothing.${use}`
        : `${peopleCounted(suppressed)} opted out or ${isOrAre(suppressed)} blocked, and will get nothing.${use}`}
    </Text>
  );
}
