import { Box, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Fragment, useRef, useState } from 'react';
import { api, request } from '../../api/client';
import { newIdempotencyKey } from '../../api/idempotency-key';
import { useReplies } from '../../api/use-replies';
import { dayOf } from '../../components/clock-time';
import { useLogScroll } from '../../components/use-log-scroll';
import { usePagedQuery } from '../../components/use-paged-query';
import { StateBadge } from '../../components/state-badge';
import { Wallpaper } from '../../components/wallpaper';
import { LoadMore } from '../../components/load-more';
import { QueryResult } from '../../components/query-result';
import { BubbleActions } from './bubble-actions';
import { ClosedWindow, Composer } from './composer';
import { MessageBubble } from './message-bubble';
import { Quote } from './quote';
import { ownReactionTo, withoutShownReactions } from './reactions';
import type { ThreadMessage } from './thread-message';
import { UnsentBubble } from './unsent-bubble';
import { WindowCountdown } from './window-countdown';

export function ConversationThread({ id }: { id: number }) {
  const queries = useQueryClient();
  const thread = usePagedQuery({
    queryKey: ['inbox', 'thread', id],
    load: (query) => request(api.GET('/api/client/conversations/{id}/messages', { params: { path: { id }, query } })),
    rows: (page) => [page],
    refetchInterval: 4_000,
  });
  const conversation = thread.data?.[0]?.conversation;
  const messages = (thread.data ?? []).flatMap((page) => page.messages).reverse();
  const [text, setText] = useState('');
  const [quoted, setQuoted] = useState<ThreadMessage | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const replies = useReplies(id);
  const log = useLogScroll(replies.unsent.at(-1)?.key ?? messages.at(-1)?.message_id, messages.length);
  const react = useMutation({
    mutationFn: (body: { message_id: string; emoji: string | null }) => {
      const params = { path: { id }, header: { 'Idempotency-Key': newIdempotencyKey() } };
      return request(api.POST('/api/client/conversations/{id}/reactions', { params, body }));
    },
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['inbox'] }),
  });
  const send = () => {
    if (!text.trim() || replies.isSending) return;
    replies.send(text, quoted?.message_id);
    setText('');
    setQuoted(null);
  };
  const quote = (message: ThreadMessage) => {
    setQuoted(message);
    field.current?.focus();
  };
  return (
    <QueryResult query={thread}>
      {() =>
        conversation && (
          <Stack>
            <Group justify="space-between">
              <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
                <Text fw={650} dir="auto">
                  {conversation.customer_name || conversation.customer_phone}
                </Text>
                {conversation.customer_name && (
                  <Text size="sm" c="dimmed">
                    {conversation.customer_phone}
                  </Text>
                )}
              </div>
              <Group gap="xs">
                {conversation.suppression_state && <StateBadge of="failed" label={conversation.suppression_state.replaceAll('_', ' ')} />}
                <WindowCountdown closesAt={conversation.session_window.closes_at} />
              </Group>
            </Group>
            <Wallpaper height="52vh" ref={log}>
              <LoadMore list={thread}>Older messages</LoadMore>
              {withoutShownReactions(messages).map((message, i, shown) => (
                <Fragment key={message.message_id}>
                  {dayOf(message.at) !== dayOf(shown[i - 1]?.at ?? '') && <DayMark at={message.at} />}
                  <MessageBubble
                    message={message}
                    messages={messages}
                    customer={conversation.customer_name || conversation.customer_phone}
                    actions={
                      conversation.session_window.open && (
                        <BubbleActions
                          reaction={ownReactionTo(message.message_id, messages)}
                          onQuote={() => quote(message)}
                          onReact={(emoji) => react.mutate({ message_id: message.message_id, emoji })}
                        />
                      )
                    }
                  />
                </Fragment>
              ))}
              {replies.unsent.map((one) => (
                <UnsentBubble
                  key={one.key}
                  unsent={one}
                  canRetry={!replies.isSending}
                  onRetry={() => replies.again(one)}
                  onEdit={() => {
                    replies.drop(one);
                    setText((typed) => (typed ? `${one.text}\n${typed}` : one.text));
                  }}
                />
              ))}
            </Wallpaper>
            {conversation.session_window.open ? (
              <Composer
                text={text}
                onChange={setText}
                onSend={send}
                isSending={replies.isSending}
                quote={quoted && <Quote quoted={quoted} customer={conversation.customer_name || conversation.customer_phone} />}
                onDropQuote={() => setQuoted(null)}
                field={field}
              />
            ) : (
              <ClosedWindow phone={conversation.customer_phone} />
            )}
          </Stack>
        )
      }
    </QueryResult>
  );
}

function DayMark({ at }: { at: string }) {
  return (
    <Box bg="var(--mantine-color-body)" px={10} py={2} fz="xs" c="dimmed" style={{ alignSelf: 'center', borderRadius: 8, flexShrink: 0 }}>
      {dayOf(at)}
    </Box>
  );
}
