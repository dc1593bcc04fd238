import { Box, Button, Stack } from '@mantine/core';
import { useEffect, useMemo, type ReactNode } from 'react';
import { usePaneRows } from '../../components/use-pane-rows';
import type { ListedConversation } from './conversation';
import { ConversationRow } from './conversation-row';
import { visibleName } from '../../components/visible-name';

/** The height of a row without labels. */
const HEIGHT = 67;
/** Rows before the end of the list at which the next page loads. */
const AHEAD = 30;

interface ConversationRowsProps {
  conversations: ListedConversation[];
  /** Its words are highlighted. */
  search: string;
  openId: string | undefined;
  onOpen: (conversation: ListedConversation) => void;
  /** Loads the next page. */
  onEnd: () => void;
  /** Undefined while the list is live. */
  onNewest: (() => void) | undefined;
  /** Follows the last row. */
  children: ReactNode;
}

/** The conversations, of which only the rows on the screen are drawn. */
export function ConversationRows({ conversations, search, openId, onOpen, onEnd, onNewest, children }: ConversationRowsProps) {
  const { pane, rows, height, measure, reveal } = usePaneRows(conversations.length, HEIGHT, (index) => conversations[index]?.id ?? index);
  const namesakes = useMemo(() => repeatedNames(conversations), [conversations]);
  const isNearEnd = (rows.at(-1)?.index ?? 0) >= conversations.length - AHEAD;
  useEffect(() => {
    if (isNearEnd) onEnd();
  }, [isNearEnd, conversations.length]);
  useEffect(() => {
    const opened = conversations.findIndex(({ id }) => String(id) === openId);
    if (opened !== -1) reveal(opened);
  }, [openId]);
  return (
    <>
      {onNewest && (
        <Button
          variant="light"
          size="compact-sm"
          m="xs"
          mt={0}
          style={{ flexShrink: 0 }}
          onClick={() => {
            if (pane.current) pane.current.scrollTop = 0;
            onNewest();
          }}
        >
          Back to the newest
        </Button>
      )}
      <Box className="inbox-rows" tabIndex={-1} ref={pane}>
        <div style={{ position: 'relative', height }}>
          {rows.map(({ index, key, top }) => {
            const one = conversations[index];
            return (
              one && (
                <div
                  key={key}
                  data-index={index}
                  ref={measure}
                  style={{ position: 'absolute', inset: '0 0 auto', transform: `translateY(${top}px)` }}
                >
                  <ConversationRow
                    conversation={one}
                    search={search}
                    isNamesake={namesakes.has(one.customer_name)}
                    isOpen={openId === String(one.id)}
                    onOpen={() => onOpen(one)}
                  />
                </div>
              )
            );
          })}
        </div>
        <Stack p="sm">{children}</Stack>
      </Box>
    </>
  );
}

/** The names that several customers have; people without a name are shown by their number anyway. */
function repeatedNames(conversations: ListedConversation[]): Set<string> {
  const [seen, repeated] = [new Set<string>(), new Set<string>()];
  for (const { customer_name } of conversations)
    (seen.has(customer_name) && visibleName(customer_name) ? repeated : seen).add(customer_name);
  return repeated;
}
