import { Button, Group } from '@mantine/core';

/** The buttons of a form that adds an entry of a list, or changes one. @param isNew whether it adds one */
export function DraftButtons({ isNew, isSaving, onCancel }: { isNew: boolean; isSaving: boolean; onCancel: () => void }) {
  return (
    <Group justify="flex-end">
      {!isNew && (
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      )}
      <Button type="submit" loading={isSaving}>
        {isNew ? 'Add' : 'Save'}
      </Button>
    </Group>
  );
}
