import { Anchor, Drawer, Group, Select, Stack, Table, Text, TextInput, Timeline, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api, ask } from '../api/client';
import { useLive } from '../api/live';
import { Ago, Copy, PhoneBubble, State, Wallpaper } from '../components/bits';
import { More, usePages } from '../components/pages';
import { useSearchText } from '../components/search-text';
import { Empty, Loaded, PageTitle } from '../components/states';

const route = getRouteApi('/inside/messages');
type Status = 'sent' | 'delivered' | 'read' | 'failed';

export function MessagesPage() {
  const search = route.useSearch() as { q?: string; status?: string; phone?: string; id?: string };
  const navigate = route.useNavigate();
  const { q } = search;
  const [text, setText] = useSearchText(q, (next) => void navigate({ search: (now) => ({ ...now, q: next }), replace: true }));
  const [phone, setPhone] = useState(search.phone ?? '');
  useEffect(() => setPhone(search.phone ?? ''), [search.phone]);
  useLive('messages');
  const set = (change: Record<string, string | undefined>) => void navigate({ search: { ...search, ...change } });
  const list = usePages({
    queryKey: ['messages', q, search.status, search.phone],
    load: (page) => {
      const filter = {
        ...(search.status && { status: search.status as Status }),
        ...(search.phone && { phone: search.phone }),
        ...(q && { q }),
      };
      return ask(api.GET('/api/client/messages', { params: { query: { limit: '30', ...page, ...filter } } }));
    },
    rows: ({ messages }) => messages,
    refetchInterval: 5_000,
  });
  const filterPhone = () => set({ phone: phone || undefined });
  return (
    <>
      <PageTitle title="Messages" about="Everything that was sent, and what became of it" />
      <Group mb="md" align="flex-end">
        <TextInput
          label="Search"
          placeholder="Text, template or message id"
          value={text}
          onChange={(e) => setText(e.currentTarget.value)}
        />
        <TextInput
          label="Phone"
          placeholder="+91 98765 43210"
          value={phone}
          onChange={(e) => setPhone(e.currentTarget.value)}
          onBlur={filterPhone}
          onKeyDown={(e) => e.key === 'Enter' && filterPhone()}
        />
        <Select
          label="Status"
          clearable
          placeholder="All"
          data={['sent', 'delivered', 'read', 'failed']}
          value={search.status ?? null}
          onChange={(status) => set({ status: status ?? undefined })}
        />
      </Group>
      <Loaded query={list}>
        {(messages) =>
          messages.length === 0 ? (
            q || search.status || search.phone ? (
              <Empty title="Nothing matches">No message has all of what you look for.</Empty>
            ) : (
              <Empty title="No messages yet">
                Send one with your API key, from a template’s page, or as a broadcast: it appears here at once.
              </Empty>
            )
          ) : (
            <Table.ScrollContainer minWidth={720}>
              <Table>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>When</Table.Th>
                    <Table.Th>To</Table.Th>
                    <Table.Th>What</Table.Th>
                    <Table.Th>Sent by</Table.Th>
                    <Table.Th>Status</Table.Th>
                    <Table.Th>Reason</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {messages.map((message) => (
                    <Table.Tr key={message.message_id}>
                      <Table.Td style={{ whiteSpace: 'nowrap' }}>
                        <Ago at={message.sent_at} />
                      </Table.Td>
                      <Table.Td>{message.to}</Table.Td>
                      <Table.Td maw={320}>
                        <Anchor
                          component="button"
                          type="button"
                          ta="left"
                          size="sm"
                          lineClamp={2}
                          onClick={() => set({ id: message.message_id })}
                        >
                          {message.template ? `${message.template}: ` : ''}
                          <bdi>{message.text || `[${message.type}]`}</bdi>
                        </Anchor>
                      </Table.Td>
                      <Table.Td>{message.sent_by}</Table.Td>
                      <Table.Td>
                        <State of={message.delivery_status} />
                      </Table.Td>
                      <Table.Td maw={280}>
                        <Text size="sm" lineClamp={2}>
                          {message.failure_reason}
                        </Text>
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
          )
        }
      </Loaded>
      <Group mt="md">
        <More list={list}>Older messages</More>
      </Group>
      <Drawer opened={search.id !== undefined} onClose={() => set({ id: undefined })} position="right" size="lg" title="Message">
        {search.id !== undefined && <Detail id={search.id} />}
      </Drawer>
    </>
  );
}

function Detail({ id }: { id: string }) {
  const detail = useQuery({
    queryKey: ['messages', 'one', id],
    queryFn: () => ask(api.GET('/api/client/messages/{message_id}', { params: { path: { message_id: id } } })),
    refetchInterval: 2_000,
  });
  return (
    <Loaded query={detail}>
      {({ message, timeline, webhooks }) => (
        <Stack>
          <Group gap={4} wrap="nowrap">
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {message.message_id}
            </Text>
            <Copy value={message.message_id} label="Copy the message id" />
          </Group>
          <Wallpaper>
            <PhoneBubble text={message.text || `[${message.type}]`} meta={`to ${message.to}`} />
          </Wallpaper>
          <Title order={3} size="h5">
            What happened
          </Title>
          <Timeline active={timeline.length} bulletSize={18} lineWidth={2}>
            {timeline.map(({ status, at, reason }, i) => (
              <Timeline.Item key={i} title={status}>
                <Text size="sm" c="dimmed">
                  {new Date(at).toLocaleString()}
                </Text>
                {reason && <Text size="sm">{reason}</Text>}
              </Timeline.Item>
            ))}
          </Timeline>
          <Title order={3} size="h5">
            Webhooks that carried it
          </Title>
          {!webhooks?.length && (
            <Text size="sm" c="dimmed">
              {webhooks ? 'No webhook is subscribed to message.sent.' : 'Not known right now.'}
            </Text>
          )}
          {webhooks?.map((delivery) => (
            <Group key={delivery.id} justify="space-between">
              <Text size="sm">{delivery.webhook_name}</Text>
              <Group gap="xs">
                <Text size="sm" c="dimmed">
                  {[delivery.response_code, delivery.duration_ms !== null && `${delivery.duration_ms} ms`].filter(Boolean).join(' · ')}
                </Text>
                <State of={delivery.state} />
              </Group>
            </Group>
          ))}
        </Stack>
      )}
    </Loaded>
  );
}
