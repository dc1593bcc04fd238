import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Modal } from './modal';

interface ConfirmDialogProps {
  opened: boolean;
  question: string;
  consequence?: string | undefined;
  /** The label of the confirming button. */
  action: ReactNode;
  onConfirm: () => void;
  onClose: () => void;
}

/** Confirms an action that cannot be undone. Focus begins on the harmless button, so that Enter alone changes nothing. */
export function ConfirmDialog({ opened, question, consequence, action, onConfirm, onClose }: ConfirmDialogProps) {
  const confirm = () => {
    // A closed dialog takes clicks until it has faded.
    if (!opened) return;
    onClose();
    onConfirm();
  };
  return (
    <Modal opened={opened} onClose={onClose} title={question} centered>
      {consequence && <Text size="sm">{consequence}</Text>}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose} data-autofocus>
          Go back
        </Button>
        <Button color="red.9" onClick={confirm}>
          {action}
        </Button>
      </Group>
    </Modal>
  );
}
