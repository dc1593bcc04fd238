import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCopy, IconPlayerPause, IconPlayerPlay, IconRepeat } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, notifySuccess, request, type Schemas } from '../../api/client';
import { ConfirmButton } from '../../components/confirm-button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { number } from '../../components/format-number';
import { useDraft } from './draft';
import { isWaiting } from './broadcast-phase';
import { RetryDialog } from './retry-dialog';
import { useDuplicate } from './use-duplicate';

/** Pauses, resumes, cancels or copies a broadcast, or retries the recipients whom it did not reach. */
export function BroadcastActions({
  broadcast,
  onOpen,
  onDuplicate,
}: {
  broadcast: Schemas['Broadcast'];
  onOpen: (id: number) => void;
  onDuplicate: () => void;
}) {
  const { id, name, status, finished_at, retryable } = broadcast;
  const queries = useQueryClient();
  const onSuccess = ({ message }: { message: string }) => {
    notifySuccess(message);
    void queries.invalidateQueries({ queryKey: ['broadcasts'] });
  };
  const change = useMutation({
    mutationFn: (how: 'pause' | 'resume' | 'cancel') =>
      request(
        api.POST(`/api/client/broadcasts/{id}/${how}`, { params: { path: { id } }, headers: { 'content-type': 'application/json' } }),
      ),
    onSuccess,
  });
  const duplicate = useDuplicate();
  const { draft, isEmpty, change: changeDraft } = useDraft();
  const [asksDraft, { open: askDraft, close: closeDraft }] = useDisclosure(false);
  // A copy that arrives after the person left replaces no draft (decision 753).
  const copy = () =>
    duplicate.mutate(broadcast, {
      onSuccess: (copied) => {
        changeDraft(copied);
        onDuplicate();
      },
    });
  const [asksRetry, { open: askRetry, close: closeRetry }] = useDisclosure(false);
  const isPaused = status === 'paused';
  return (
    <Group>
      {finished_at === null && !isWaiting(broadcast) && (
        <>
          <Button
            variant="default"
            leftSection={isPaused ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
            loading={change.isPending}
            onClick={() => change.mutate(isPaused ? 'resume' : 'pause')}
          >
            {isPaused ? 'Resume' : 'Pause'}
          </Button>
          <ConfirmButton
            color="red"
            variant="light"
            loading={change.isPending}
            question={`Cancel ${name}?`}
            consequence="The remaining recipients will not get it. Sent messages cannot be recalled."
            onConfirm={() => change.mutate('cancel')}
          >
            Cancel the broadcast
          </ConfirmButton>
        </>
      )}
      {finished_at !== null && retryable > 0 && (
        <Button leftSection={<IconRepeat size={16} />} onClick={askRetry}>
          {`Retry the failed ones (${number(retryable)})`}
        </Button>
      )}
      <Button variant="default" leftSection={<IconCopy size={16} />} loading={duplicate.isPending} onClick={isEmpty ? copy : askDraft}>
        Duplicate
      </Button>
      <ConfirmDialog
        opened={asksDraft}
        question="Replace your draft?"
        consequence={`Your new broadcast ${draft.name === '' ? '' : `“${draft.name}” `}has not been sent. A copy of “${name}” takes its place.`}
        action="Replace the draft"
        onConfirm={copy}
        onClose={closeDraft}
      />
      {asksRetry && (
        <RetryDialog
          broadcast={broadcast}
          onClose={closeRetry}
          onMade={(made) => {
            closeRetry();
            onOpen(made);
          }}
        />
      )}
    </Group>
  );
}
