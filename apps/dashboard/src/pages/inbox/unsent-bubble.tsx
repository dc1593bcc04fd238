import { Anchor, Group } from '@mantine/core';
import type { Unsent } from '../../api/use-replies';
import { PhoneBubble } from '../../components/phone-bubble';

/** A reply that the server has not accepted yet. */
export function UnsentBubble({
  unsent,
  canRetry,
  onRetry,
  onEdit,
}: {
  unsent: Unsent;
  canRetry: boolean;
  onRetry: () => void;
  onEdit: () => void;
}) {
  const { file, problem } = unsent;
  const text = [file && `📎 ${file.filename}`, unsent.text].filter(Boolean).join('\n');
  if (problem === null) return <PhoneBubble text={text} meta="sending…" />;
  return (
    <PhoneBubble
      look="failed"
      text={text}
      meta={
        <Group gap={8} justify="flex-end">
          <span>Not sent: {problem}</span>
          <Anchor component="button" type="button" inherit c="inherit" fw={650} disabled={!canRetry} onClick={onRetry}>
            Send again
          </Anchor>
          <Anchor component="button" type="button" inherit c="inherit" fw={650} onClick={onEdit}>
            {file ? 'Discard' : 'Edit'}
          </Anchor>
        </Group>
      }
    />
  );
}
