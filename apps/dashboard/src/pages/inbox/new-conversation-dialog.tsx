import { FormModal } from '../../components/form-modal';
import { NewConversation } from './new-conversation';

/** Writes to any number. @param onSent receives the digits of the number, even after the dialog is closed */
export function NewConversationDialog({
  opened,
  onClose,
  onSent,
}: {
  opened: boolean;
  onClose: () => void;
  onSent: (phone: string, isOpen: boolean) => void;
}) {
  return (
    <FormModal opened={opened} onClose={onClose} title="New conversation" size="lg">
      <NewConversation onClose={onClose} onSent={onSent} />
    </FormModal>
  );
}
