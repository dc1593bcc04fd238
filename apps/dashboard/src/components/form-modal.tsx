import { Modal, type ModalProps } from '@mantine/core';
import { useDiscardQuestion } from './use-discard-question';

/** A dialog with a form, which asks before it drops what was entered. */
export function FormModal(props: ModalProps) {
  const { dialog, question } = useDiscardQuestion(props);
  return (
    <>
      <Modal {...props} {...dialog} />
      {question}
    </>
  );
}
