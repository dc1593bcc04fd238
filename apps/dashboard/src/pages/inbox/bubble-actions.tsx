import { ActionIcon, Group, Popover } from '@mantine/core';
import { IconArrowBackUp, IconMoodPlus } from '@tabler/icons-react';
import { useState } from 'react';

const EMOJIS = ['👍', '❤️', '😂', '😮', '😢', '🙏'];

/** Lets an agent quote a message or react to it. @param message names it for screen readers @param reaction the business's own reaction */
export function BubbleActions({
  message,
  reaction,
  onQuote,
  onReact,
}: {
  message: string;
  reaction: string | null;
  onQuote: () => void;
  onReact: (emoji: string | null) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const choose = (emoji: string) => {
    setOpen(false);
    onReact(emoji === reaction ? null : emoji);
  };
  return (
    <Group gap={0} wrap="nowrap" className="inbox-actions" {...(isOpen && { 'data-open': true })}>
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={`Quote ${message}`} title="Quote" onClick={onQuote}>
        <IconArrowBackUp size={16} />
      </ActionIcon>
      <Popover opened={isOpen} onChange={setOpen} trapFocus returnFocus withinPortal>
        <Popover.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={`React to ${message}`}
            title="React"
            aria-expanded={isOpen}
            onClick={() => setOpen((open) => !open)}
          >
            <IconMoodPlus size={16} />
          </ActionIcon>
        </Popover.Target>
        <Popover.Dropdown p={4} aria-label="Reactions">
          <Group gap={2} wrap="nowrap">
            {EMOJIS.map((emoji) => (
              <ActionIcon
                key={emoji}
                variant={emoji === reaction ? 'light' : 'subtle'}
                color="gray"
                size="lg"
                fz={20}
                aria-label={emoji === reaction ? `Remove ${emoji}` : emoji}
                onClick={() => choose(emoji)}
              >
                {emoji}
              </ActionIcon>
            ))}
          </Group>
        </Popover.Dropdown>
      </Popover>
    </Group>
  );
}
