import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { IconClock, IconSend } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, request } from '../../api/client';
import { useReplies } from '../../api/use-replies';
import { useLogScroll } from '../../components/use-log-scroll';
import { usePagedQuery } from '../../components/use-paged-query';
import { PhoneBubble } from '../../components/phone-bubble';
import { StateBadge } from '../../components/state-badge';
import { Wallpaper } from '../../components/wallpaper';
import { LoadMore } from '../../components/load-more';
import { QueryResult } from '../../components/query-result';
import { isSendKey } from './is-send-key';
import { MessageBubble } from './message-bubble';
import { withoutShownReactions } from './reactions';
import { WindowCountdown } from './window-countdown';

export function ConversationThread({ id }: { id: number }) {
  const thread = usePagedQuery({
    queryKey: ['inbox', 'thread', id],
    load: (query) => request(api.GET('/api/client/conversations/{id}/messages', { params: { path: { id }, query } })),
    rows: (page) => [page],
    refetchInterval: 4_000,
  });
  const conversation = thread.data?.[0]?.conversation;
  const messages = (thread.data ?? []).flatMap((page) => page.messages).reverse();
  const [text, setText] = useState('');
  const replies = useReplies(id);
  const log = useLogScroll(replies.unsent.at(-1)?.key ?? messages.at(-1)?.message_id, messages.length);
  const send = () => {
    if (!text.trim() || replies.isSending) return;
    replies.send(text);
    setText('');
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
              {withoutShownReactions(messages).map((message) => (
                <MessageBubble key={message.message_id} message={message} messages={messages} />
              ))}
              {replies.unsent.map((one) => (
                <PhoneBubble
                  key={one.key}
                  text={one.text}
                  meta={
                    one.problem === null ? (
                      'sending…'
                    ) : (
                      <Group gap="xs" justify="flex-end">
                        <span>{one.problem}</span>
                        <Button size="compact-xs" disabled={replies.isSending} onClick={() => replies.again(one)}>
                          Send again
                        </Button>
                        <Button
                          size="compact-xs"
                          variant="default"
                          onClick={() => {
                            replies.drop(one);
                            setText((typed) => (typed ? `${one.text}\n${typed}` : one.text));
                          }}
                        >
                          Edit
                        </Button>
                      </Group>
                    )
                  }
                />
              ))}
            </Wallpaper>
            {conversation.session_window.open ? (
              <form
                onSubmit={(event) => {
                  event.preventDefault();
                  send();
                }}
              >
                <Group align="flex-end" wrap="nowrap">
                  <Textarea
                    aria-label="Reply"
                    styles={{ input: { unicodeBidi: 'plaintext' } }}
                    placeholder="Write a reply"
                    style={{ flex: 1 }}
                    autosize
                    minRows={1}
                    maxRows={6}
                    value={text}
                    onChange={(e) => setText(e.currentTarget.value)}
                    onKeyDown={(e) => {
                      if (!isSendKey(e)) return;
                      e.preventDefault();
                      send();
                    }}
                  />
                  <Button type="submit" loading={replies.isSending} leftSection={<IconSend size={16} />}>
                    Send
                  </Button>
                </Group>
              </form>
            ) : (
              <Alert color="yellow" icon={<IconClock />} title="The 24-hour window is closed">
                <Text size="sm">
                  WhatsApp lets you write freely only within 24 hours of the customer’s last message. An approved template goes out at any
                  time.
                </Text>
                <Button
                  component={Link}
                  to="/templates"
                  search={{ phone: conversation.customer_phone } as never}
                  variant="default"
                  size="xs"
                  mt="xs"
                >
                  Choose a template
                </Button>
              </Alert>
            )}
          </Stack>
        )
      }
    </QueryResult>
  );
}
