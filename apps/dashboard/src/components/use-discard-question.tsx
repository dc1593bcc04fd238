import { useDisclosure } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import { ConfirmDialog } from './confirm-dialog';
import { UnsavedForms } from './unsaved-forms';

interface Dialog {
  onClose: () => void;
  closeOnEscape?: boolean | undefined;
  children?: ReactNode;
}

/**
 * Makes a dialog ask before it drops what a person entered in its forms (decision 630).
 * @returns the dialog's props, and the question, which stands beside the dialog
 */
export function useDiscardQuestion({ onClose, closeOnEscape = true, children }: Dialog) {
  const [forms] = useState(() => new Set<() => boolean>());
  const [isAsking, { open: ask, close: keep }] = useDisclosure(false);
  const dialog = {
    onClose: () => ([...forms].some((isChanged) => isChanged()) ? ask() : onClose()),
    // Escape closes the question only.
    closeOnEscape: closeOnEscape && !isAsking,
    children: <UnsavedForms value={forms}>{children}</UnsavedForms>,
  };
  const question = (
    <ConfirmDialog
      opened={isAsking}
      question="Discard what you entered?"
      consequence="It has not been saved or sent."
      action="Discard"
      onConfirm={onClose}
      onClose={keep}
    />
  );
  return { dialog, question };
}
