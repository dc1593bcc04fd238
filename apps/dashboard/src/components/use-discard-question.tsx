import { useState, type ReactNode } from 'react';
import { ConfirmDialog } from './confirm-dialog';
import { UnsavedForms } from './unsaved-forms';

interface Dialog {
  opened: boolean;
  onClose: () => void;
  children?: ReactNode;
}

/**
 * Makes a dialog confirm before it discards what a person entered in its forms (decision 630).
 * @returns the dialog's props, and the question, which stands beside the dialog
 */
export function useDiscardQuestion({ opened, onClose, children }: Dialog) {
  const [checks] = useState(() => new Set<() => boolean>());
  /** The action that waits for the answer. */
  const [asked, setAsked] = useState<(() => void) | null>(null);
  const leave = (action: () => void) => {
    if (![...checks].some((isUnsaved) => isUnsaved())) return action();
    // After the key press: a browser draws between its listeners, so that the same Escape would close the question too.
    setTimeout(() => setAsked(() => action));
  };
  const dialog = {
    onClose: () => leave(onClose),
    children: <UnsavedForms value={{ isOpen: opened, checks, leave }}>{children}</UnsavedForms>,
  };
  const question = (
    <ConfirmDialog
      opened={asked !== null}
      question="Discard what you entered?"
      consequence="Anything not saved or sent is lost."
      action="Discard"
      onConfirm={() => asked?.()}
      onClose={() => setAsked(null)}
    />
  );
  return { dialog, question };
}
