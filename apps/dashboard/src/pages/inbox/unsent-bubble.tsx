import { Anchor, Group } from '@mantine/core';
import type { MouseEventHandler } from 'react';
import type { Unsent } from '../../api/use-replies';
import { useZone } from '../../api/use-zone';
import { PhoneBubble } from '../../components/phone-bubble';
import { messageName } from './message-name';
import { StatusTicks } from './status-ticks';

/** A reply that the server has not accepted yet. @param isLasting a retry would fail for the same reason */
export function UnsentBubble({
  unsent,
  canRetry,
  isLasting,
  onRetry,
  onEdit,
}: {
  unsent: Unsent;
  canRetry: boolean;
  isLasting: boolean;
  onRetry: MouseEventHandler;
  onEdit: () => void;
}) {
  const zone = useZone();
  const { file, problem, firstSentAt, messageId } = unsent;
  const text = [file && `📎 ${file.filename}`, unsent.text].filter(Boolean).join('\n');
  if (problem === null) return <PhoneBubble text={text} meta={messageId === undefined ? 'sending…' : <StatusTicks status="sent" />} />;
  const name = messageName(text, new Date(firstSentAt).toISOString(), zone);
  const edit = file ? 'Discard' : 'Edit';
  return (
    <PhoneBubble
      look="failed"
      text={text}
      meta={
        <Group gap={8} justify="flex-end">
          <span>Not sent: {problem}</span>
          {!isLasting && (
            <Anchor
              component="button"
              type="button"
              inherit
              c="inherit"
              fw={650}
              aria-label={`Send again ${name}`}
              disabled={!canRetry}
              onClick={onRetry}
            >
              Send again
            </Anchor>
          )}
          <Anchor component="button" type="button" inherit c="inherit" fw={650} aria-label={`${edit} ${name}`} onClick={onEdit}>
            {edit}
          </Anchor>
        </Group>
      }
    />
  );
}
