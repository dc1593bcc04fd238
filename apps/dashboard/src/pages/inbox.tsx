import { Alert, Button, Grid, Group, Paper, ScrollArea, Stack, Text, Textarea, TextInput, UnstyledButton } from '@mantine/core';
import { IconClock, IconSend } from '@tabler/icons-react';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useState, type KeyboardEvent } from 'react';
import { api, ask } from '../api/client';
import { useLive } from '../api/live';
import { useReplies } from '../api/replies';
import { Ago, clockTime, PhoneBubble, State, Wallpaper } from '../components/bits';
import { useLogScroll } from '../components/log-scroll';
import { More, usePages } from '../components/pages';
import { useSearchText } from '../components/search-text';
import { Empty, Loaded, PageTitle } from '../components/states';

const route = getRouteApi('/inside/inbox');

export function InboxPage() {
  const search = route.useSearch() as { id?: string; q?: string };
  const navigate = route.useNavigate();
  const { q } = search;
  const [text, setText] = useSearchText(q, (next) => void navigate({ search: (now) => ({ ...now, q: next }), replace: true }));
  useLive('inbox');
  const list = usePages({
    queryKey: ['inbox', 'list', q],
    load: (page) => ask(api.GET('/api/client/conversations', { params: { query: { ...page, ...(q && { q }) } } })),
    rows: ({ conversations }) => conversations,
    refetchInterval: 5_000,
  });
  return (
    <>
      <PageTitle title="Inbox" about="What customers wrote, and your answers" />
      <Loaded query={list}>
        {(conversations) =>
          conversations.length === 0 && !q && !list.hasNextPage ? (
            <Empty title="Nobody has written yet">
              When a customer writes to your number, the conversation appears here. With the local simulator: open its page and write as a
              customer.
            </Empty>
          ) : (
            <Grid>
              <Grid.Col span={{ base: 12, sm: 4 }}>
                <TextInput
                  aria-label="Search"
                  placeholder="Name or number"
                  value={text}
                  onChange={(e) => setText(e.currentTarget.value)}
                  mb="xs"
                />
                <ScrollArea h={{ base: 220, sm: '70vh' }}>
                  <Stack gap={4}>
                    {conversations.length === 0 && <Text size="sm">Nobody has this name or number.</Text>}
                    {conversations.map((one) => (
                      <UnstyledButton
                        key={one.id}
                        onClick={() => void navigate({ search: { ...search, id: String(one.id) } })}
                        aria-current={search.id === String(one.id)}
                      >
                        <Paper
                          withBorder
                          p="sm"
                          radius="md"
                          bg={search.id === String(one.id) ? 'var(--mantine-primary-color-light)' : undefined}
                        >
                          <Group justify="space-between" wrap="nowrap">
                            <Text fw={600} size="sm" truncate dir="auto">
                              {one.customer_name || one.customer_phone}
                            </Text>
                            <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
                              <Ago at={one.last_message?.at ?? one.created_at} />
                            </Text>
                          </Group>
                          <Text size="sm" c="dimmed" truncate>
                            {one.last_message?.direction === 'out' && 'You: '}
                            {one.last_message && <bdi>{one.last_message.text || `[${one.last_message.type}]`}</bdi>}
                          </Text>
                        </Paper>
                      </UnstyledButton>
                    ))}
                    <More list={list}>Older conversations</More>
                  </Stack>
                </ScrollArea>
              </Grid.Col>
              <Grid.Col span={{ base: 12, sm: 8 }}>
                {search.id ? (
                  <Thread key={search.id} id={Number(search.id)} />
                ) : (
                  <Empty title="Choose a conversation">Its messages and the reply box are shown here.</Empty>
                )}
              </Grid.Col>
            </Grid>
          )
        }
      </Loaded>
    </>
  );
}

function Thread({ id }: { id: number }) {
  const thread = usePages({
    queryKey: ['inbox', 'thread', id],
    load: (query) => ask(api.GET('/api/client/conversations/{id}/messages', { params: { path: { id }, query } })),
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
    <Loaded query={thread}>
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
                {conversation.suppression_state && <State of="failed" label={conversation.suppression_state.replaceAll('_', ' ')} />}
                <Countdown closesAt={conversation.session_window.closes_at} />
              </Group>
            </Group>
            <Wallpaper height="52vh" ref={log}>
              <More list={thread}>Older messages</More>
              {messages.map((message) => (
                <PhoneBubble
                  key={message.message_id}
                  mine={message.direction === 'out'}
                  text={message.text || `[${message.media?.type ?? message.type}]`}
                  meta={
                    <>
                      {message.sent_by === 'ai' && 'AI · '}
                      {clockTime(message.at)}
                      {message.delivery_status && ` · ${message.delivery_status}`}
                      {message.failure_reason && ` · ${message.failure_reason}`}
                    </>
                  }
                />
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
                      if (!endsLine(e)) return;
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
    </Loaded>
  );
}

/** Enter by itself; not the one that ends the composition of a word, which Safari tells by its code alone. */
const endsLine = ({ key, shiftKey, keyCode, nativeEvent }: KeyboardEvent) =>
  key === 'Enter' && !shiftKey && !nativeEvent.isComposing && keyCode !== 229;

/** How long free text may still be written. */
function Countdown({ closesAt }: { closesAt: string | null }) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  if (closesAt === null) return <State of="pending" label="window closed" />;
  const seconds = Math.max(0, Math.floor((new Date(closesAt).getTime() - Date.now()) / 1_000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60), seconds % 60];
  return <State of="read" label={`open for ${hours}:${String(minutes).padStart(2, '0')}:${String(rest).padStart(2, '0')}`} />;
}
