import { FormModal } from '../../components/form-modal';
import { NewConversation } from './new-conversation';

/** Writes to any number. @param onSent receives the digits of the number */
export function NewConversationDialog({
  opened,
  onClose,
  onSent,
}: {
  opened: boolean;
  onClose: () => void;
  onSent: (phone: string) => void;
}) {
  return (
    <FormModal opened={opened} onClose={onClose} title="New conversation" size="lg">
      <NewConversation
        onSent={(phone) => {
          onClose();
          onSent(phone);
        }}
      />
    </FormModal>
  );
}
