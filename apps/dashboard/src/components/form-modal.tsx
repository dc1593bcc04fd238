import { type ModalProps } from '@mantine/core';
import { useDiscardQuestion } from './use-discard-question';
import { Modal } from './modal';

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
