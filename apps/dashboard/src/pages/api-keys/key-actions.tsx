import { Group } from '@mantine/core';
import type { ApiKey } from '../../api/api-keys';
import { ActionsMenu } from '../../components/actions-menu';
import { ConfirmButton } from '../../components/confirm-button';

interface KeyActionsProps {
  apiKey: ApiKey;
  /** Whether another key replaced it. */
  isReplaced: boolean;
  edit: () => void;
  rotate: () => void;
  revoke: () => void;
}

/** An owner’s actions on an active key. */
export function KeyActions({ apiKey, isReplaced, edit, rotate, revoke }: KeyActionsProps) {
  const shown = `${apiKey.prefix}…${apiKey.last_four}`;
  return (
    <Group gap={6} wrap="nowrap">
      <ActionsMenu
        label={`Actions for ${apiKey.name}, ${shown}`}
        size="compact-sm"
        actions={[{ name: 'Edit', run: edit }, ...(isReplaced ? [] : [{ name: 'Rotate', run: rotate }])]}
      />
      <ConfirmButton
        size="compact-sm"
        color="red"
        variant="light"
        aria-label={`Revoke ${apiKey.name}, ${shown}`}
        question={`Revoke ${apiKey.name}, ${shown}?`}
        consequence={
          isReplaced
            ? 'This is the old key. Software that uses it stops working at once. Its broadcasts go on with the new key: pause them yourself.'
            : 'Software that uses this key stops working at once, and its broadcasts pause.'
        }
        onConfirm={revoke}
      >
        Revoke
      </ConfirmButton>
    </Group>
  );
}
