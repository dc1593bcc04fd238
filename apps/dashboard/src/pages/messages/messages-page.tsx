import { Anchor, Drawer, Group, Select, Table, Text, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api, request } from '../../api/client';
import { periodOf } from '../../api/message-counts';
import { useLiveRefresh } from '../../api/use-live-refresh';
import { usePagedQuery } from '../../components/use-paged-query';
import { useSearchText } from '../../components/use-search-text';
import { RelativeTime } from '../../components/relative-time';
import { StateBadge } from '../../components/state-badge';
import { LoadMore } from '../../components/load-more';
import { EmptyState } from '../../components/empty-state';
import { QueryResult } from '../../components/query-result';
import { PageTitle } from '../../components/page-title';
import { MessageDetail } from './message-detail';

const route = getRouteApi('/inside/messages');
type Status = 'sent' | 'delivered' | 'read' | 'failed';

export function MessagesPage() {
  const search = route.useSearch() as { q?: string; status?: string; phone?: string; period?: string; failure_code?: string; id?: string };
  const navigate = route.useNavigate();
  const { q } = search;
  const [text, setText] = useSearchText(q, (next) => void navigate({ search: (now) => ({ ...now, q: next }), replace: true }));
  const [phone, setPhone] = useState(search.phone ?? '');
  useEffect(() => setPhone(search.phone ?? ''), [search.phone]);
  useLiveRefresh('messages');
  const set = (change: Record<string, string | undefined>) => void navigate({ search: { ...search, ...change } });
  // Searching by text or status reads every message, so such a list refreshes seldom instead of with each event.
  const isScan = q !== undefined || search.status !== undefined;
  const period = periodOf(search.period);
  const list = usePagedQuery({
    queryKey: [isScan ? 'message-search' : 'messages', q, search.status, search.phone, period, search.failure_code],
    load: (page) => {
      const filter = {
        ...(search.status && { status: search.status as Status }),
        ...(search.phone && { phone: search.phone }),
        ...(period && { period }),
        ...(search.failure_code && { failure_code: search.failure_code }),
        ...(q && { q }),
      };
      return request(api.GET('/api/client/messages', { params: { query: { limit: '30', ...page, ...filter } } }));
    },
    rows: ({ messages }) => messages,
    refetchInterval: isScan ? 15_000 : 5_000,
  });
  const filterPhone = () => set({ phone: phone || undefined });
  return (
    <>
      <PageTitle title="Messages" about="All sent messages and their delivery" />
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
      <QueryResult query={list}>
        {(messages) =>
          messages.length === 0 ? (
            list.hasNextPage ? (
              <EmptyState title="No results so far">
                None of the newest messages matches. Search the older ones below, or add a phone number.
              </EmptyState>
            ) : q || search.status || search.phone ? (
              <EmptyState title="No results">No messages match these filters.</EmptyState>
            ) : (
              <EmptyState title="No messages yet">
                Send one with your API key, from a template’s page, or as a broadcast: it appears here at once.
              </EmptyState>
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
                        <RelativeTime at={message.sent_at} />
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
                        <StateBadge of={message.delivery_status} />
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
      </QueryResult>
      <Group mt="md">
        <LoadMore list={list}>{isScan ? 'Search older messages' : 'Older messages'}</LoadMore>
      </Group>
      <Drawer opened={search.id !== undefined} onClose={() => set({ id: undefined })} position="right" size="lg" title="Message">
        {search.id !== undefined && <MessageDetail id={search.id} />}
      </Drawer>
    </>
  );
}
