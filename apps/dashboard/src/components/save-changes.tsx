import { Button, Group } from '@mantine/core';

interface SaveChangesProps {
  changes: object;
  isSaving: boolean;
  discard: () => void;
}

/** The buttons of a form whose changes are kept: the second one shows that the form differs from what is saved. */
export function SaveChanges({ changes, isSaving, discard }: SaveChangesProps) {
  return (
    <Group gap="xs">
      <Button type="submit" loading={isSaving}>
        Save
      </Button>
      {Object.keys(changes).length > 0 && (
        <Button variant="default" disabled={isSaving} onClick={discard}>
          Discard changes
        </Button>
      )}
    </Group>
  );
}
