import { useRef } from 'react';
import { FormModal } from '../../components/form-modal';
import { QuickReplies } from './quick-replies';

/** @param onInsert gets the text of the chosen quick reply after the dialog has restored the focus; undefined while no reply is possible */
export function QuickRepliesDialog({
  opened,
  onClose,
  onInsert,
}: {
  opened: boolean;
  onClose: () => void;
  onInsert: ((text: string) => void) | undefined;
}) {
  const chosen = useRef<string>(undefined);
  return (
    <FormModal
      opened={opened}
      onClose={onClose}
      title="Quick replies"
      size="lg"
      onExitTransitionEnd={() => {
        if (chosen.current !== undefined) onInsert?.(chosen.current);
        chosen.current = undefined;
      }}
    >
      <QuickReplies
        onInsert={
          onInsert &&
          ((text) => {
            chosen.current = text;
            onClose();
          })
        }
      />
    </FormModal>
  );
}
