import { type DrawerProps } from '@mantine/core';
import { useDiscardQuestion } from './use-discard-question';
import { Drawer } from './drawer';

/** A drawer with a form. It confirms before it discards input. */
export function FormDrawer(props: DrawerProps) {
  const { dialog, question } = useDiscardQuestion(props);
  return (
    <>
      <Drawer {...props} {...dialog} />
      {question}
    </>
  );
}
