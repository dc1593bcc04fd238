import { Button, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ConfirmDialog } from './confirm-dialog';

interface ConfirmButtonProps extends ButtonProps {
  /** The dialog's question. */
  question: string;
  /** The effect, if the question does not name it. */
  consequence?: string;
  onConfirm: () => void;
}

/** A button whose action starts only after the person has confirmed it in a dialog. */
export function ConfirmButton({ question, consequence, onConfirm, children, ...button }: ConfirmButtonProps) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button {...button} onClick={open}>
        {children}
      </Button>
      <ConfirmDialog
        opened={opened}
        question={question}
        consequence={consequence}
        action={children}
        onConfirm={onConfirm}
        onClose={close}
      />
    </>
  );
}
