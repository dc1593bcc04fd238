import { Alert, Text } from '@mantine/core';
import type { Schemas } from '../../api/client';
import { peopleCounted } from '../../components/format-number';

/** The error that paused a broadcast, and what to do about it (decision 620). */
export function PauseCauseAlert({ cause, pending }: { cause: NonNullable<Schemas['Broadcast']['pause_cause']>; pending: number }) {
  return (
    <Alert color="orange" role="alert" title="Paused by an error that every recipient would get">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {cause.message}
      </Text>
      {cause.hint && <Text size="sm">{cause.hint}</Text>}
      {/* Nothing restores a revoked key, and the hint says what to do. */}
      {cause.error_code !== 'INVALID_API_KEY' && (
        <Text size="sm" mt={4}>
          Resume when it is solved: {peopleCounted(pending)} will get the message, and nobody gets it twice.
        </Text>
      )}
    </Alert>
  );
}
