import { Box, Button } from '@mantine/core';
import { IconArrowDown } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Fragment, useEffect, useRef, useState, type RefObject } from 'react';
import { api, request } from '../../api/client';
import { newIdempotencyKey } from '../../api/idempotency-key';
import { useMe } from '../../api/session';
import { useZone } from '../../api/use-zone';
import { dayOf } from '../../components/clock-time';
import { LoadMore } from '../../components/load-more';
import { onDemand } from '../../components/on-demand';
import { useLogScroll } from '../../components/use-log-scroll';
import { Wallpaper } from '../../components/wallpaper';
import { BubbleActions } from './bubble-actions';
import { Composer } from './composer';
import { isUnreachable, nameOf, type Conversation } from './conversation';
import { MessageBubble } from './message-bubble';
import { messageName } from './message-name';
import { NoteLine } from './note-line';
import { OptOutNotice } from './opt-out';
import { Quote } from './quote';
import { ownReactionTo, withoutShownReactions } from './reactions';
import { shownText, type ThreadMessage } from './thread-message';
import { UnsentBubble } from './unsent-bubble';
import { useFoundMessage, type MessagePages } from './use-found-message';
import { useWriting } from './use-writing';

const QuickRepliesDialog = onDemand(async () => (await import('./quick-replies-dialog')).QuickRepliesDialog);
const TemplatePicker = onDemand(async () => (await import('./template-picker')).TemplatePicker);

/**
 * The messages of a conversation, and the field below them.
 * @param id by which it was opened; its own differs after a merge
 * @param list loads older messages
 * @param found the id of a message that a search found
 * @param onSeen gets the conversation when its newest received message has been in view
 */
export function ConversationThread({
  id,
  conversation,
  messages,
  list,
  found,
  field,
  onSeen,
}: {
  id: number;
  conversation: Conversation;
  messages: ThreadMessage[];
  list: MessagePages;
  found: string | undefined;
  field: RefObject<HTMLElement | null>;
  onSeen: (conversation: Conversation) => void;
}) {
  const zone = useZone();
  const { user } = useMe();
  const customer = nameOf(conversation);
  const isWindowOpen = conversation.session_window.open;
  const isOptedOut = isUnreachable(conversation);
  const mayReply = isWindowOpen && !isOptedOut;
  /** Codes of failures that a retry would repeat. */
  const lasting = ['VALIDATION_FAILED', ...(isOptedOut ? ['RECIPIENT_SUPPRESSED'] : []), ...(isWindowOpen ? [] : ['WINDOW_CLOSED'])];
  const queries = useQueryClient();
  const { draft, setDraft, replies, ...writing } = useWriting(id, conversation, messages);
  const [isPicking, setPicking] = useState(false);
  const [isManaging, setManaging] = useState(false);
  const shownMessages = withoutShownReactions(messages);
  const { newNote } = writing;
  const lines = [
    ...shownMessages.map(({ message_id }) => message_id),
    ...replies.unsent.map(({ key }) => key),
    ...(newNote ? [newNote.at] : []),
  ];
  const log = useRef<HTMLDivElement>(null);
  const isFinding = useFoundMessage(log, found, messages, list);
  const { last_received_at, unread_count } = conversation;
  const seenBefore = unread_count === 0 ? last_received_at : undefined;
  const { isBehind, showEnd } = useLogScroll(log, lines, last_received_at, seenBefore, writing.own, isFinding);
  useEffect(() => {
    if (!isBehind) onSeen(conversation);
  }, [isBehind, conversation]);
  const react = useMutation({
    mutationFn: (body: { message_id: string; emoji: string | null }) => {
      const params = { path: { id }, header: { 'Idempotency-Key': newIdempotencyKey() } };
      return request(api.POST('/api/client/conversations/{id}/reactions', { params, body }));
    },
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['inbox'] }),
  });
  const quote = ({ message_id }: ThreadMessage) => {
    setDraft((now) => ({ ...now, kind: 'reply', quoted: message_id }));
    field.current?.focus();
  };
  const insert = (text: string) => {
    setDraft((now) => ({ ...now, reply: now.reply.trim() ? `${now.reply}\n${text}` : text }));
    field.current?.focus();
  };
  return (
    <>
      <Wallpaper ref={log} isPane>
        <LoadMore list={list}>Older messages</LoadMore>
        {shownMessages.map((message, i, shown) => (
          <Fragment key={message.message_id}>
            {(i === 0 || dayOf(message.at, zone) !== dayOf(shown[i - 1]?.at ?? message.at, zone)) && <DayMark at={message.at} />}
            {message.type === 'note' ? (
              <NoteLine {...message} />
            ) : (
              <MessageBubble
                message={message}
                messages={messages}
                customer={customer}
                isFound={message.message_id === found}
                actions={
                  mayReply && (
                    <BubbleActions
                      message={messageName(shownText(message), message.at, zone)}
                      reaction={ownReactionTo(message.message_id, messages)}
                      onQuote={() => quote(message)}
                      onReact={(emoji) => react.mutate({ message_id: message.message_id, emoji })}
                    />
                  )
                }
              />
            )}
          </Fragment>
        ))}
        {replies.unsent.map((one) => (
          <UnsentBubble
            key={one.key}
            unsent={one}
            canRetry={replies.mayRetry(one)}
            isLasting={lasting.includes(one.code ?? '')}
            onRetry={({ detail }) => {
              replies.again(one);
              // By keyboard. The place of the button would go to the actions of another message, and a touch would open the keyboard.
              if (detail === 0) field.current?.focus();
            }}
            onEdit={() => {
              writing.edit(one);
              field.current?.focus();
            }}
          />
        ))}
        {newNote && <NoteLine {...newNote} author={user} />}
      </Wallpaper>
      <div className="inbox-behind">
        {isBehind && (
          <Button size="xs" radius="xl" rightSection={<IconArrowDown size={14} />} onClick={showEnd}>
            New messages
          </Button>
        )}
      </div>
      <Composer
        draft={draft}
        onChange={setDraft}
        onSend={writing.send}
        isSending={writing.isSending}
        isWindowOpen={isWindowOpen}
        optOut={isOptedOut && <OptOutNotice conversation={conversation} />}
        quote={draft.quoted && <Quote quoted={messages.find(({ message_id }) => message_id === draft.quoted)} customer={customer} />}
        onDropQuote={() => setDraft({ ...draft, quoted: undefined })}
        attaching={writing.attaching}
        onTemplate={() => setPicking(true)}
        onQuickReplies={() => setManaging(true)}
        field={field}
      />
      <TemplatePicker opened={isPicking} onClose={() => setPicking(false)} conversationId={id} onSent={writing.setSentId} />
      {/* React passes a dialog's events on to its parents, and a submit within the composer's form sends the reply. */}
      <QuickRepliesDialog
        opened={isManaging}
        onClose={() => setManaging(false)}
        onInsert={mayReply && draft.kind === 'reply' ? insert : undefined}
      />
    </>
  );
}

function DayMark({ at }: { at: string }) {
  const zone = useZone();
  return (
    <Box bg="var(--mantine-color-body)" px={10} py={2} fz="xs" c="dimmed" style={{ alignSelf: 'center', borderRadius: 8, flexShrink: 0 }}>
      {dayOf(at, zone)}
    </Box>
  );
}
