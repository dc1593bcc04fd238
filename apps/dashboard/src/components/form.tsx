import { Stack, type StackProps } from '@mantine/core';

/** A form whose page stays when it is submitted. */
export function Form({ onSubmit, ...stack }: Omit<StackProps, 'onSubmit'> & { onSubmit: () => void }) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <Stack {...stack} />
    </form>
  );
}
