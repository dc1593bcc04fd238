import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, request, notifySuccess, shownByForm } from '../../api/client';
import { useZone } from '../../api/use-zone';
import { DatetimeField } from '../../components/datetime-field';
import { Field } from '../../components/field';
import { Form } from '../../components/form';
import { number } from '../../components/format-number';
import { isoOf, localTime } from '../../components/local-time';
import { RelativeTime } from '../../components/relative-time';
import { Dimmed } from '../../components/dimmed';

/** Redelivers everything that a webhook lost while its receiver was down. @param failingSince the time that it proposes */
export function Recovery({ id, failingSince }: { id: number; failingSince: string | null }) {
  const queries = useQueryClient();
  const zone = useZone();
  const [since, setSince] = useState(failingSince === null ? '' : localTime(Date.parse(failingSince), zone));
  const path = { params: { path: { id } } };
  const last = useQuery({
    queryKey: ['webhooks', id, 'recovery'],
    queryFn: () => request(api.GET('/api/client/webhooks/{id}/recover', path)),
    refetchInterval: 2_000,
  });
  const done = ({ message }: { message: string }) => {
    notifySuccess(message);
    void queries.invalidateQueries({ queryKey: ['webhooks', id] });
  };
  const recover = useMutation({
    mutationFn: (iso: string) => request(api.POST('/api/client/webhooks/{id}/recover', { ...path, body: { since: iso } })),
    onError: shownByForm,
    onSuccess: done,
  });
  const cancel = useMutation({ mutationFn: () => request(api.DELETE('/api/client/webhooks/{id}/recover', path)), onSuccess: done });
  const sinceIso = isoOf(since, zone);
  const recovery = last.data?.recovery;
  if (recovery && recovery.left > 0) {
    const attempted = recovery.queued - recovery.left - recovery.cancelled;
    return (
      <Stack gap={4}>
        <Group justify="space-between">
          <Text size="sm">
            Redelivering: {number(attempted)} of {number(recovery.queued)} attempted
          </Text>
          <Button size="compact-sm" variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel redelivery
          </Button>
        </Group>
        <Progress value={(attempted / recovery.queued) * 100} aria-label="Progress of the redelivery" />
      </Stack>
    );
  }
  return (
    <Stack gap={4}>
      <Form onSubmit={() => sinceIso !== null && recover.mutate(sinceIso)} error={recover.error}>
        <Group align="flex-end">
          <Field name="since">
            <DatetimeField
              label={`Redeliver all failed since, ${zone} time`}
              description="Failed and skipped deliveries, in their order. New events do not wait for them."
              value={since}
              onChange={(e) => setSince(e.currentTarget.value)}
              style={{ flex: '1 1 200px' }}
            />
          </Field>
          <Button variant="default" disabled={sinceIso === null} loading={recover.isPending} type="submit">
            Redeliver all
          </Button>
        </Group>
      </Form>
      {recovery && (
        <Dimmed>
          Last redelivery <RelativeTime at={recovery.started_at} />: {number(recovery.queued - recovery.cancelled)} attempted
          {recovery.cancelled > 0 && `, ${number(recovery.cancelled)} cancelled`}
        </Dimmed>
      )}
    </Stack>
  );
}
