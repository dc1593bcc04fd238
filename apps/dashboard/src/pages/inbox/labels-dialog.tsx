import { FormModal } from '../../components/form-modal';
import { Labels } from './labels';

/** @param onRenamed receives a label's former name and its new one, undefined if it was deleted */
export function LabelsDialog({
  opened,
  onClose,
  onRenamed,
}: {
  opened: boolean;
  onClose: () => void;
  onRenamed: (from: string, to: string | undefined) => void;
}) {
  return (
    <FormModal opened={opened} onClose={onClose} title="Labels">
      <Labels onRenamed={onRenamed} />
    </FormModal>
  );
}
