import { Button, Group } from '@mantine/core';
import { ConfirmButton } from '../../components/confirm-button';

/** Edits or deletes one item of a list in a dialog. @param consequence the effect of its deletion */
export function ItemActions({
  name,
  question,
  consequence,
  onEdit,
  onDelete,
}: {
  name: string;
  question: string;
  consequence: string;
  onEdit: () => void;
  onDelete: () => void;
}) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Button variant="default" size="compact-sm" aria-label={`Edit ${name}`} onClick={onEdit}>
        Edit
      </Button>
      <ConfirmButton
        variant="subtle"
        color="red"
        size="compact-sm"
        aria-label={`Delete ${name}`}
        question={question}
        consequence={consequence}
        onConfirm={onDelete}
      >
        Delete
      </ConfirmButton>
    </Group>
  );
}
