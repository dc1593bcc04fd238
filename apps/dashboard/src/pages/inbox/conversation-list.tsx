import { Group, Kbd, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import type { Ref } from 'react';
import { LoadMore } from '../../components/load-more';
import { QueryResult } from '../../components/query-result';
import { useTitle } from '../../components/use-title';
import { countShown, VIEWS, type InboxCounts, type ListedConversation, type View } from './conversation';
import { ConversationRows } from './conversation-rows';

type List = Parameters<typeof LoadMore>[0]['list'] & Parameters<typeof QueryResult<ListedConversation[]>>[0]['query'];

/** The first pane: views, search and conversations. */
export function ConversationList({
  list,
  counts,
  view,
  onView,
  search,
  onSearch,
  searchField,
  openId,
  onOpen,
  onEnd,
  onNewest,
}: {
  list: List;
  counts: InboxCounts | undefined;
  view: View;
  onView: (view: View) => void;
  search: string;
  onSearch: (text: string) => void;
  searchField: Ref<HTMLInputElement>;
  openId: string | undefined;
  onOpen: (conversation: ListedConversation) => void;
  onEnd: () => void;
  onNewest: (() => void) | undefined;
}) {
  useTitle('Inbox');
  return (
    <section className="inbox-list" aria-label="Conversations">
      <Stack gap={10} p="sm" pb={10}>
        <Text fz="h4" fw={650} lh={1.5} aria-hidden>
          Inbox
        </Text>
        <Group className="inbox-views" gap={0} wrap="nowrap" justify="space-between" role="group" aria-label="Views">
          {VIEWS.map(({ view: one, label }) => (
            <UnstyledButton key={one} className="inbox-tab" aria-pressed={one === view && !search} onClick={() => onView(one)}>
              {label} <span className="inbox-count">{one !== 'all' && counts && countShown(counts[one])}</span>
            </UnstyledButton>
          ))}
        </Group>
        <TextInput
          ref={searchField}
          aria-label="Search"
          placeholder="Name, number or message"
          value={search}
          onChange={(e) => onSearch(e.currentTarget.value)}
          rightSection={<Kbd size="xs">/</Kbd>}
          rightSectionProps={{ 'aria-hidden': true }}
        />
      </Stack>
      <QueryResult query={list}>
        {(conversations) => (
          <ConversationRows conversations={conversations} search={search} openId={openId} onOpen={onOpen} onEnd={onEnd} onNewest={onNewest}>
            {conversations.length === 0 && (
              <Text size="sm" c="dimmed">
                {search ? noMatch(search, list.hasNextPage) : (VIEWS.find((one) => one.view === view)?.empty ?? '')}
              </Text>
            )}
            <LoadMore list={list}>Older conversations</LoadMore>
          </ConversationRows>
        )}
      </QueryResult>
    </section>
  );
}

const noMatch = (search: string, isLonger: boolean) =>
  isLonger ? 'No match among the newest conversations.' : `No name, number or message matches “${search}”.`;
