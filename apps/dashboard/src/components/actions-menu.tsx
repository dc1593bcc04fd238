import { Button, Menu, type ButtonProps } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useRef } from 'react';

interface Action {
  name: string;
  isDangerous?: boolean;
  run: () => void;
}

/** The actions on one row of a list, behind a button with three dots. */
export function ActionsMenu({ label, size, actions }: { label: string; size: ButtonProps['size']; actions: Action[] }) {
  const button = useRef<HTMLButtonElement>(null);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button ref={button} variant="default" size={size} aria-label={label}>
          <IconDots size={16} />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ name, isDangerous, run }) => (
          <Menu.Item
            key={name}
            {...(isDangerous && { c: 'var(--mantine-color-error)' })}
            onClick={() => {
              // A dialog returns the focus to the element that had it, and the menu’s entry will be gone.
              button.current?.focus();
              run();
            }}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
