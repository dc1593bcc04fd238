import { ActionIcon } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';

/** Leads from a conversation to the list, on a screen that shows one of them. */
export function BackButton({ onClick }: { onClick: () => void }) {
  return (
    <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Back" className="inbox-narrow" onClick={onClick}>
      <IconArrowLeft size={20} />
    </ActionIcon>
  );
}
