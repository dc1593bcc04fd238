import { Box, Group, Kbd, Stack, Text, TextInput, Title, UnstyledButton } from '@mantine/core';
import type { Ref } from 'react';
import { LoadMore } from '../../components/load-more';
import { QueryResult } from '../../components/query-result';
import { useTitle } from '../../components/use-title';
import { countShown, VIEWS, type InboxCounts, type ListedConversation, type View } from './conversation';
import { ConversationRow } from './conversation-row';

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
}: {
  list: List;
  counts: InboxCounts | undefined;
  view: View;
  onView: (view: View) => void;
  search: string;
  onSearch: (text: string) => void;
  searchField: Ref<HTMLInputElement>;
  openId: string | undefined;
  onOpen: (id: number) => void;
}) {
  useTitle('Inbox');
  return (
    <section className="inbox-list" aria-label="Conversations">
      <Stack gap={10} p="sm" pb={10}>
        <Title order={1} size="h4">
          Inbox
        </Title>
        <Group gap={2} wrap="wrap" role="group" aria-label="Views">
          {VIEWS.map(({ view: one, label }) => (
            <UnstyledButton key={one} className="inbox-tab" aria-pressed={one === view && !search} onClick={() => onView(one)}>
              {label}
              {one !== 'all' && counts && counts[one] > 0 && ` ${countShown(counts[one])}`}
            </UnstyledButton>
          ))}
        </Group>
        <TextInput
          ref={searchField}
          aria-label="Search"
          placeholder="Name or number"
          value={search}
          onChange={(e) => onSearch(e.currentTarget.value)}
          rightSection={<Kbd size="xs">/</Kbd>}
          rightSectionProps={{ 'aria-hidden': true }}
        />
      </Stack>
      <Box className="inbox-rows" tabIndex={-1}>
        <QueryResult query={list}>
          {(conversations) => (
            <>
              {conversations.length === 0 && (
                <Text size="sm" c="dimmed" p="md">
                  {search ? noMatch(list.hasNextPage) : (VIEWS.find((one) => one.view === view)?.empty ?? '')}
                </Text>
              )}
              {conversations.map((one) => (
                <ConversationRow key={one.id} conversation={one} isOpen={openId === String(one.id)} onOpen={() => onOpen(one.id)} />
              ))}
              <Stack p="sm">
                <LoadMore list={list}>Older conversations</LoadMore>
              </Stack>
            </>
          )}
        </QueryResult>
      </Box>
    </section>
  );
}

const noMatch = (isLonger: boolean) => (isLonger ? 'No match among the newest conversations.' : 'No conversation matches.');
