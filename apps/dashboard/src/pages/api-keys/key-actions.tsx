import { Button, Group, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ApiKey } from '../../api/api-keys';
import { ConfirmButton } from '../../components/confirm-button';

interface KeyActionsProps {
  apiKey: ApiKey;
  edit: () => void;
  rotate: () => void;
  revoke: () => void;
}

/** An owner’s actions on an active key. */
export function KeyActions({ apiKey, edit, rotate, revoke }: KeyActionsProps) {
  return (
    <Group gap={6} wrap="nowrap">
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" size="compact-sm" aria-label={`Actions for ${apiKey.name}`}>
            <IconDots size={16} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={edit}>Edit</Menu.Item>
          <Menu.Item onClick={rotate}>Rotate</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmButton
        size="compact-sm"
        color="red"
        variant="light"
        question={`Revoke ${apiKey.name}?`}
        consequence="Software that uses this key stops working at once, and its broadcasts pause. If the key was rotated, its broadcasts go on with the new key: pause them yourself."
        onConfirm={revoke}
      >
        Revoke
      </ConfirmButton>
    </Group>
  );
}
