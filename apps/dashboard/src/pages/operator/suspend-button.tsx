import { Button } from '@mantine/core';
import { ConfirmButton } from '../../components/confirm-button';
import type { Business } from './business';
import { useChangeBusiness } from './use-change-business';

export function SuspendButton({ business: { id, name, suspended } }: { business: Business }) {
  const change = useChangeBusiness(id);
  if (suspended)
    return (
      <Button variant="default" loading={change.isPending} onClick={() => change.mutate({ suspended: false })}>
        Resume
      </Button>
    );
  return (
    <ConfirmButton
      color="red"
      variant="light"
      loading={change.isPending}
      question={`Suspend ${name}?`}
      consequence="Its API keys get 403, and replies, broadcasts and automatic replies stop within five seconds. Messages of customers are still stored and delivered to its webhooks."
      onConfirm={() => change.mutate({ suspended: true })}
    >
      Suspend
    </ConfirmButton>
  );
}
