import { Badge, Grid, Group, Paper, ScrollArea, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { api, request } from '../../api/client';
import { useLiveRefresh } from '../../api/use-live-refresh';
import { usePagedQuery } from '../../components/use-paged-query';
import { useSearchText } from '../../components/use-search-text';
import { RelativeTime } from '../../components/relative-time';
import { LoadMore } from '../../components/load-more';
import { EmptyState } from '../../components/empty-state';
import { QueryResult } from '../../components/query-result';
import { PageTitle } from '../../components/page-title';
import './inbox.css';
import { ConversationThread } from './conversation-thread';
import { shownText } from './thread-message';

const route = getRouteApi('/inside/inbox');

export function InboxPage() {
  const search = route.useSearch() as { id?: string; q?: string };
  const navigate = route.useNavigate();
  const { q } = search;
  const [text, setText] = useSearchText(q, (next) => void navigate({ search: (now) => ({ ...now, q: next }), replace: true }));
  useLiveRefresh('inbox');
  const list = usePagedQuery({
    queryKey: ['inbox', 'list', q],
    load: (page) => request(api.GET('/api/client/conversations', { params: { query: { ...page, ...(q && { q }) } } })),
    rows: ({ conversations }) => conversations,
    refetchInterval: 5_000,
  });
  return (
    <>
      <PageTitle title="Inbox" about="Messages from customers, and your replies" />
      <QueryResult query={list}>
        {(conversations) =>
          conversations.length === 0 && !q && !list.hasNextPage ? (
            <EmptyState title="No conversations yet">
              When a customer writes to your number, the conversation appears here. With the local simulator, open its page and write as a
              customer.
            </EmptyState>
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
                    {conversations.length === 0 && (
                      <Text size="sm">{list.hasNextPage ? 'No match among the newest conversations.' : 'No conversation matches.'}</Text>
                    )}
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
                              <RelativeTime at={one.last_message?.at ?? one.created_at} />
                            </Text>
                          </Group>
                          <Text size="sm" c="dimmed" truncate>
                            {one.last_message?.direction === 'out' && 'You: '}
                            {one.last_message && <bdi>{shownText(one.last_message)}</bdi>}
                          </Text>
                          {one.needs_agent && (
                            <Badge size="sm" color="orange" variant="light">
                              No automatic reply
                            </Badge>
                          )}
                        </Paper>
                      </UnstyledButton>
                    ))}
                    <LoadMore list={list}>Older conversations</LoadMore>
                  </Stack>
                </ScrollArea>
              </Grid.Col>
              <Grid.Col span={{ base: 12, sm: 8 }}>
                {search.id ? (
                  <ConversationThread key={search.id} id={Number(search.id)} />
                ) : (
                  <EmptyState title="Choose a conversation">Its messages and the reply box appear here.</EmptyState>
                )}
              </Grid.Col>
            </Grid>
          )
        }
      </QueryResult>
    </>
  );
}
