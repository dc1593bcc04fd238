import { Modal, type ModalProps } from '@mantine/core';
import { useDiscardQuestion } from './use-discard-question';

/** A dialog with a form. It confirms before it discards input. */
export function FormModal(props: ModalProps) {
  const { dialog, question } = useDiscardQuestion(props);
  return (
    <>
      <Modal {...props} {...dialog} />
      {question}
    </>
  );
}
