import { Drawer, type DrawerProps } from '@mantine/core';
import { useDiscardQuestion } from './use-discard-question';

/** A drawer with a form, which asks before it drops what was entered. */
export function FormDrawer(props: DrawerProps) {
  const { dialog, question } = useDiscardQuestion(props);
  return (
    <>
      <Drawer {...props} {...dialog} />
      {question}
    </>
  );
}
