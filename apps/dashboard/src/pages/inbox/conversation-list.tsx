import { ActionIcon, Group, Kbd, Stack, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { IconMessagePlus, IconTags } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { Ref } from 'react';
import { inboxCountShown } from '../../api/inbox-counts';
import { LoadMore } from '../../components/load-more';
import { QueryResult } from '../../components/query-result';
import { SearchField } from '../../components/search-field';
import { useTitle } from '../../components/use-title';
import { countOf, VIEWS, type InboxCounts, type ListedConversation, type View } from './conversation';
import { ConversationRows } from './conversation-rows';
import { labelsQuery } from './label-chips';
import { ListFilters, type Filters } from './list-filters';

type List = Parameters<typeof LoadMore>[0]['list'] & Parameters<typeof QueryResult<ListedConversation[]>>[0]['query'];

/** The first pane: views, search and conversations. */
export function ConversationList({
  list,
  counts,
  view,
  onView,
  filters,
  onFilters,
  search,
  onSearch,
  searchField,
  openId,
  onOpen,
  onEnd,
  onNewest,
  onNew,
  onLabels,
}: {
  list: List;
  counts: InboxCounts | undefined;
  view: View;
  onView: (view: View) => void;
  filters: Filters;
  onFilters: (filters: Filters) => void;
  search: string;
  onSearch: (text: string) => void;
  searchField: Ref<HTMLInputElement>;
  openId: string | undefined;
  onOpen: (conversation: ListedConversation) => void;
  onEnd: () => void;
  onNewest: (() => void) | undefined;
  onNew: () => void;
  onLabels: () => void;
}) {
  useTitle('Inbox');
  const shown = VIEWS.find((one) => one.view === view) ?? VIEWS[0];
  // A colleague may delete or rename the label meanwhile.
  const labels = useQuery({ ...labelsQuery, refetchInterval: 60_000 }).data?.labels;
  const isLabelGone = filters.label !== undefined && labels !== undefined && !labels.some(({ name }) => name === filters.label);
  const noFiltered = isLabelGone ? `The label “${filters.label}” no longer exists. Choose another one.` : NO_MATCH;
  const isFiltered = filters.isUnread || filters.label !== undefined;
  return (
    <section className="inbox-list" aria-label="Conversations">
      <Stack gap={10} p="sm" pb={10}>
        <Group gap={4} wrap="nowrap">
          <Text fz="h4" fw={650} lh={1.5} aria-hidden style={{ flex: 1 }}>
            Inbox
          </Text>
          <Tooltip label="Manage labels">
            <ActionIcon variant="subtle" color="gray" aria-label="Manage labels" onClick={onLabels}>
              <IconTags size={18} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="New conversation">
            <ActionIcon variant="subtle" color="gray" aria-label="New conversation" onClick={onNew}>
              <IconMessagePlus size={18} />
            </ActionIcon>
          </Tooltip>
        </Group>
        <Group className="inbox-views" gap={0} wrap="nowrap" justify="space-between" role="group" aria-label="Views">
          {VIEWS.map(({ view: one, label }) => (
            <UnstyledButton key={one} className="inbox-tab" aria-pressed={one === view && !search} onClick={() => onView(one)}>
              {label} <span className="inbox-count">{counts && inboxCountShown(countOf(one, counts))}</span>
            </UnstyledButton>
          ))}
        </Group>
        <SearchField
          ref={searchField}
          aria-label="Search"
          placeholder="Name, number or message"
          value={search}
          onChange={onSearch}
          rightSection={
            <Kbd size="xs" aria-hidden>
              /
            </Kbd>
          }
        />
        <ListFilters filters={filters} onChange={onFilters} />
        {/* A search has another order. */}
        {!search && (
          <Text size="xs" c="dimmed">
            {shown.order}
          </Text>
        )}
      </Stack>
      <QueryResult query={list}>
        {(conversations) => (
          <ConversationRows conversations={conversations} search={search} openId={openId} onOpen={onOpen} onEnd={onEnd} onNewest={onNewest}>
            {conversations.length === 0 && (
              <Text size="sm" c="dimmed">
                {search ? noMatch(search, list.hasNextPage) : isFiltered ? noFiltered : shown.empty}
              </Text>
            )}
            <LoadMore list={list}>Older conversations</LoadMore>
          </ConversationRows>
        )}
      </QueryResult>
    </section>
  );
}

const NO_MATCH = 'No conversation of this view matches these filters.';
const noMatch = (search: string, isLonger: boolean) =>
  isLonger ? 'No match among the newest conversations.' : `No name, number or message matches “${search}”.`;
