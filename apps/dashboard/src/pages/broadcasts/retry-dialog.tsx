import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, notifySuccess, queries, request, type Schemas } from '../../api/client';
import { newIdempotencyKey } from '../../api/idempotency-key';
import { peopleCounted } from '../../components/format-number';
import { QueryResult } from '../../components/query-result';
import { CostEstimate } from './cost-estimate';
import { DailyLimitNotice } from './daily-limit-notice';
import { SuppressedNotice } from './suppressed-notice';
import { Modal } from '../../components/modal';

/** Shows whom a retry writes to, its cost and the daily limit, and starts it (decision 621). */
export function RetryDialog({
  broadcast: { id, name },
  onClose,
  onMade,
}: {
  broadcast: Pick<Schemas['Broadcast'], 'id' | 'name'>;
  onClose: () => void;
  onMade: (id: number) => void;
}) {
  // However often it is retried, the people get it once.
  const [key] = useState(newIdempotencyKey);
  const params = { path: { id } };
  const check = useQuery({
    queryKey: ['broadcast-retry', id],
    queryFn: () => request(api.GET('/api/client/broadcasts/{id}/retry', { params })),
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const retry = useMutation({
    mutationFn: () =>
      request(
        api.POST('/api/client/broadcasts/{id}/retry', {
          params: { ...params, header: { 'Idempotency-Key': key } },
          headers: { 'content-type': 'application/json' },
        }),
      ),
    onSuccess: (made) => {
      notifySuccess(made.message);
      void queries.invalidateQueries({ queryKey: ['broadcasts'] });
    },
  });
  return (
    <Modal opened onClose={onClose} title={`Retry ${name}`} centered size="lg">
      <QueryResult query={check} rows={4}>
        {({ total, suppressed, estimate, category, daily_limit }) => {
          const tooMany = total > daily_limit.left;
          return (
            <Stack>
              <Text size="sm">
                {total === 0
                  ? 'Nobody is left to retry.'
                  : `A new broadcast starts at once and writes to ${peopleCounted(total)} whose message definitely failed. Nobody gets it twice, and sent messages cannot be recalled.`}
              </Text>
              <SuppressedNotice suppressed={suppressed} />
              {total > 0 && (
                <>
                  <CostEstimate estimate={estimate} category={category} />
                  <DailyLimitNotice {...daily_limit} tooMany={tooMany} />
                </>
              )}
              <Group justify="flex-end">
                <Button variant="default" onClick={onClose} data-autofocus>
                  Go back
                </Button>
                <Button
                  color="red.9"
                  disabled={total === 0 || tooMany}
                  loading={retry.isPending}
                  onClick={() => retry.mutate(undefined, { onSuccess: (made) => onMade(made.id) })}
                >
                  {`Send to ${peopleCounted(total)}`}
                </Button>
              </Group>
            </Stack>
          );
        }}
      </QueryResult>
    </Modal>
  );
}
