import { Box, Button } from '@mantine/core';
import { IconArrowDown } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Fragment, useEffect, useRef, useState, type RefObject } from 'react';
import { api, notifyError, request } from '../../api/client';
import { newIdempotencyKey } from '../../api/idempotency-key';
import { useKeptState } from '../../api/use-kept-state';
import { useReplies } from '../../api/use-replies';
import { useZone } from '../../api/use-zone';
import { dayOf } from '../../components/clock-time';
import { LoadMore } from '../../components/load-more';
import { onDemand } from '../../components/on-demand';
import { useLogScroll } from '../../components/use-log-scroll';
import { Wallpaper } from '../../components/wallpaper';
import { BubbleActions } from './bubble-actions';
import { Composer, type Draft } from './composer';
import { isUnreachable, nameOf, type Conversation } from './conversation';
import { MessageBubble } from './message-bubble';
import { NoteLine } from './note-line';
import { OptOutNotice } from './opt-out';
import { Quote } from './quote';
import { ownReactionTo, withoutShownReactions } from './reactions';
import type { ThreadMessage } from './thread-message';
import { UnsentBubble } from './unsent-bubble';
import { captionProblem, useAttachment } from './use-attachment';
import { variableProblem } from './variable-problem';
import { useFoundMessage, type MessagePages } from './use-found-message';

const QuickRepliesDialog = onDemand(async () => (await import('./quick-replies-dialog')).QuickRepliesDialog);
const TemplatePicker = onDemand(async () => (await import('./template-picker')).TemplatePicker);

const NO_DRAFT: Draft = { kind: 'reply', reply: '', note: '' };

/**
 * The messages of a conversation, and the field below them.
 * @param list loads older messages
 * @param found the id of a message that a search found
 * @param onSeen gets the conversation when its newest received message has been in view
 */
export function ConversationThread({
  conversation,
  messages,
  list,
  found,
  field,
  onSeen,
}: {
  conversation: Conversation;
  messages: ThreadMessage[];
  list: MessagePages;
  found: string | undefined;
  field: RefObject<HTMLElement | null>;
  onSeen: (conversation: Conversation) => void;
}) {
  const { id } = conversation;
  const zone = useZone();
  const customer = nameOf(conversation);
  const isWindowOpen = conversation.session_window.open;
  const isOptedOut = isUnreachable(conversation);
  const mayReply = isWindowOpen && !isOptedOut;
  /** Codes of failures that a retry would repeat. */
  const lasting = ['VALIDATION_FAILED', ...(isOptedOut ? ['RECIPIENT_SUPPRESSED'] : []), ...(isWindowOpen ? [] : ['WINDOW_CLOSED'])];
  const queries = useQueryClient();
  const refresh = () => void queries.invalidateQueries({ queryKey: ['inbox'] });
  const [draft, setDraft, , changeDraft] = useKeptState<Draft>(`drafts ${id}`, NO_DRAFT);
  const [isPicking, setPicking] = useState(false);
  const [isManaging, setManaging] = useState(false);
  const attaching = useAttachment(id, fileRefusal(conversation, draft));
  const replies = useReplies(id);
  const shownMessages = withoutShownReactions(messages);
  const lines = [...shownMessages.map(({ message_id }) => message_id), ...replies.unsent.map(({ key }) => key)];
  const log = useRef<HTMLDivElement>(null);
  const isFinding = useFoundMessage(log, found, messages, list);
  /** The id of the note or the template that the person sent last. */
  const [sentId, setSentId] = useState<string>();
  const own = [...replies.unsent.map(({ key }) => key), ...(sentId === undefined ? [] : [sentId])];
  const { last_received_at, unread_count } = conversation;
  const seenBefore = unread_count === 0 ? last_received_at : undefined;
  const { isBehind, showEnd } = useLogScroll(log, lines, last_received_at, seenBefore, own, isFinding);
  useEffect(() => {
    if (!isBehind) onSeen(conversation);
  }, [isBehind, conversation]);
  const react = useMutation({
    mutationFn: (body: { message_id: string; emoji: string | null }) => {
      const params = { path: { id }, header: { 'Idempotency-Key': newIdempotencyKey() } };
      return request(api.POST('/api/client/conversations/{id}/reactions', { params, body }));
    },
    onSuccess: refresh,
  });
  const addNote = useMutation({
    mutationFn: (text: string) => request(api.POST('/api/client/conversations/{id}/notes', { params: { path: { id } }, body: { text } })),
    onError: (error, text) => {
      notifyError(error);
      changeDraft((since) => ({ ...since, kind: 'note', note: before(text, since.note) }));
    },
    onSuccess: (note) => {
      setSentId(`note:${note.id}`);
      // The team's text typed since then must not become a reply.
      changeDraft((since) => (since.note === '' ? { ...since, kind: 'reply' } : since));
      refresh();
    },
  });
  const send = () => {
    const { kind, reply: text, note } = draft;
    const { attachment } = attaching;
    if (replies.isSending || addNote.isPending) return;
    if (kind === 'note') {
      if (!note.trim()) return;
      addNote.mutate(note);
      return setDraft({ ...draft, note: '' });
    }
    if (attachment ? attachment.mediaId === null || captionProblem(attachment, text) : !text.trim()) return;
    if (variableProblem(text)) return;
    const file = attachment?.mediaId && { media_id: attachment.mediaId, media_type: attachment.kind, filename: attachment.filename };
    replies.send({ text, replyTo: draft.quoted, ...(file && { file }) });
    attaching.remove();
    setDraft({ ...draft, reply: '', quoted: undefined });
  };
  const quote = ({ message_id }: ThreadMessage) => {
    setDraft((now) => ({ ...now, kind: 'reply', quoted: message_id }));
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
            onRetry={() => replies.again(one)}
            onEdit={() => {
              replies.drop(one);
              if (one.file) return;
              setDraft((now) => ({ ...now, kind: 'reply', reply: before(one.text, now.reply), quoted: one.replyTo ?? now.quoted }));
            }}
          />
        ))}
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
        onSend={send}
        isSending={replies.isSending || addNote.isPending}
        isWindowOpen={isWindowOpen}
        optOut={isOptedOut && <OptOutNotice conversation={conversation} />}
        quote={draft.quoted && <Quote quoted={messages.find(({ message_id }) => message_id === draft.quoted)} customer={customer} />}
        onDropQuote={() => setDraft({ ...draft, quoted: undefined })}
        attaching={attaching}
        onTemplate={() => setPicking(true)}
        onQuickReplies={() => setManaging(true)}
        field={field}
      />
      <TemplatePicker opened={isPicking} onClose={() => setPicking(false)} conversationId={id} onSent={setSentId} />
      {/* React passes a dialog's events on to its parents, and a submit within the composer's form sends the reply. */}
      <QuickRepliesDialog opened={isManaging} onClose={() => setManaging(false)} />
    </>
  );
}

/** Puts a text that returns to its field before the one that was typed since. */
const before = (text: string, since: string): string => (since ? `${text}\n${since}` : text);

/** @returns why no file can be attached, or null */
function fileRefusal(conversation: Conversation, { kind }: Draft): string | null {
  if (kind === 'note') return 'A note has no files. Choose “Reply” to send the file to the customer.';
  if (isUnreachable(conversation)) return 'Messages to this customer are refused.';
  return conversation.session_window.open ? null : 'The 24-hour window is closed. Send the file when the customer has written again.';
}

function DayMark({ at }: { at: string }) {
  const zone = useZone();
  return (
    <Box bg="var(--mantine-color-body)" px={10} py={2} fz="xs" c="dimmed" style={{ alignSelf: 'center', borderRadius: 8, flexShrink: 0 }}>
      {dayOf(at, zone)}
    </Box>
  );
}
