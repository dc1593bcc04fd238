import { Button, Group, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ApiKey } from '../../api/api-keys';
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
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" size="compact-sm" aria-label={`Actions for ${apiKey.name}, ${shown}`}>
            <IconDots size={16} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={edit}>Edit</Menu.Item>
          {!isReplaced && <Menu.Item onClick={rotate}>Rotate</Menu.Item>}
        </Menu.Dropdown>
      </Menu>
      <ConfirmButton
        size="compact-sm"
        color="red"
        variant="light"
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
