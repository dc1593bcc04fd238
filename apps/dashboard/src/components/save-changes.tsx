import { Alert, Button, Group } from '@mantine/core';

interface SaveChangesProps {
  /** Whether a changed field has another saved value than when the person began. */
  isOutdated: boolean;
  changes: object;
  isSaving: boolean;
  discard: () => void;
}

/** The buttons of a form whose changes are kept: the second one shows that the form differs from what is saved. */
export function SaveChanges({ changes, isOutdated, isSaving, discard }: SaveChangesProps) {
  return (
    <>
      {isOutdated && (
        <Alert role="alert" color="yellow" title="These settings changed since you began">
          A field that you changed has a new saved value. Save replaces it with yours; discard your changes to see it.
        </Alert>
      )}
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
    </>
  );
}
