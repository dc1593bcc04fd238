import { Modal as MantineModal, type ModalProps } from '@mantine/core';
import { useIsTopDialog } from './use-is-top-dialog';

/** A dialog in the middle of the page. Escape closes it only while no other one is above it. */
export function Modal({ closeOnEscape = true, ...props }: ModalProps) {
  const isTop = useIsTopDialog(props.opened);
  return <MantineModal {...props} data-opened={props.opened || undefined} closeOnEscape={closeOnEscape && isTop} />;
}
