import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { STARTERS } from './starters';
import type { TemplateForm } from './template-form';

/** Fills the editor with a template that is ready to be adapted. @param asks whether the person's entries would be lost */
export function StarterButtons({ asks, onChoose }: { asks: boolean; onChoose: (starter: TemplateForm) => void }) {
  /** The starter that waits for the answer. */
  const [asked, ask] = useState<TemplateForm | null>(null);
  return (
    <Group gap="xs">
      <Text size="sm">Start with</Text>
      {STARTERS.map(({ label, form }) => (
        <Button key={label} size="xs" variant="default" onClick={() => (asks ? ask(form) : onChoose(form))}>
          {label}
        </Button>
      ))}
      <ConfirmDialog
        opened={asked !== null}
        question="Replace what you entered?"
        consequence="Anything not saved or sent is lost."
        action="Replace"
        onConfirm={() => asked && onChoose(asked)}
        onClose={() => ask(null)}
      />
    </Group>
  );
}
