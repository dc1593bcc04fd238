import { Text } from '@mantine/core';
import type { Schemas } from '../../api/client';
import { isOrAre, peopleCounted } from '../../components/format-number';

/** Whom a broadcast leaves out because they opted out or are blocked (decision 621). */
export function SuppressedNotice({ suppressed }: Pick<Schemas['BroadcastCheck'], 'suppressed'>) {
  if (suppressed === 0) return null;
  return (
    <Text size="sm">
      {suppressed === null
        ? 'The opted-out contacts in this list cannot be counted now. They get nothing.'
        : `${peopleCounted(suppressed)} opted out or ${isOrAre(suppressed)} blocked, and will get nothing.`}
    </Text>
  );
}
