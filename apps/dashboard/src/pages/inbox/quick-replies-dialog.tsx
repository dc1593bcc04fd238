import { FormModal } from '../../components/form-modal';
import { QuickReplies } from './quick-replies';

export function QuickRepliesDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <FormModal opened={opened} onClose={onClose} title="Quick replies" size="lg">
      <QuickReplies />
    </FormModal>
  );
}
