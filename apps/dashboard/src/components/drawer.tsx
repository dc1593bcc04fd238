import { Drawer as MantineDrawer, type DrawerProps } from '@mantine/core';
import { useIsTopDialog } from './use-is-top-dialog';

/** A dialog at the side of the page. Escape closes it only while no other one is above it. */
export function Drawer({ closeOnEscape = true, ...props }: DrawerProps) {
  const isTop = useIsTopDialog(props.opened);
  return <MantineDrawer {...props} data-opened={props.opened || undefined} closeOnEscape={closeOnEscape && isTop} />;
}
