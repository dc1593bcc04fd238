import { VisuallyHidden } from '@mantine/core';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useRef } from 'react';
import { api, request } from '../../api/client';
import { useLiveRefresh } from '../../api/use-live-refresh';
import { EmptyState } from '../../components/empty-state';
import { useEndlessQuery } from '../../components/use-endless-query';
import { useSearchText } from '../../components/use-search-text';
import '@mantine/core/styles/Kbd.css';
import './inbox.css';
import { VIEWS, type ListedConversation, type View } from './conversation';
import { ConversationList } from './conversation-list';
import { ConversationPanes } from './conversation-panes';
import { useInboxKeys } from './use-inbox-keys';

const route = getRouteApi('/inside/inbox');

export function InboxPage() {
  const search = route.useSearch() as { id?: string; message?: string; q?: string; view?: string; label?: string };
  const navigate = route.useNavigate();
  const router = useRouter();
  const { q, id } = search;
  const view: View = VIEWS.find((one) => one.view === search.view)?.view ?? 'open';
  const [text, setText] = useSearchText(q, (next) => void navigate({ search: (now) => ({ ...now, q: next }), replace: true }));
  const searchField = useRef<HTMLInputElement>(null);
  useLiveRefresh('inbox');
  // A search finds everybody, also people who never wrote.
  const filter = { view: q ? ('all' as const) : view, ...(q && { q }), ...(search.label && { label: search.label }) };
  const {
    list: pages,
    isLive,
    loadMore,
    backToNewest,
  } = useEndlessQuery({
    queryKey: ['inbox', 'list', filter],
    load: (page) => request(api.GET('/api/client/conversations', { params: { query: { ...filter, ...page, limit: '100' } } })),
    rows: (page) => [page],
    refetchInterval: 5_000,
  });
  const conversations = pages.data?.flatMap((page) => page.conversations);
  const open = (next?: ListedConversation) =>
    void navigate({ search: (now) => ({ ...now, id: next && String(next.id), message: next?.found?.message_id }) });
  const step = (by: number) => {
    // The address has the previous step, which the page may not have drawn yet.
    const { id: from } = router.latestLocation.search as { id?: string };
    const at = conversations?.findIndex((one) => String(one.id) === from) ?? -1;
    const next = conversations?.[at === -1 ? 0 : at + by];
    if (next) open(next);
  };
  useInboxKeys({ j: () => step(1), k: () => step(-1), '/': () => searchField.current?.focus() });
  return (
    <div className="inbox" data-open={id !== undefined || undefined}>
      {/* A phone hides the list with its title, but the page keeps its heading. */}
      <VisuallyHidden component="h1">Inbox</VisuallyHidden>
      <ConversationList
        list={{ ...pages, data: conversations }}
        counts={pages.data?.[0]?.counts}
        view={view}
        onView={(next) => {
          setText('');
          void navigate({ search: (now) => ({ ...now, view: next, q: undefined }) });
        }}
        search={text}
        onSearch={setText}
        searchField={searchField}
        openId={id}
        onOpen={open}
        onEnd={() => !q && loadMore()}
        onNewest={isLive ? undefined : backToNewest}
      />
      {id === undefined ? (
        <div className="inbox-thread inbox-nothing">
          <EmptyState title="Choose a conversation">Its messages and the reply box appear here.</EmptyState>
        </div>
      ) : (
        <ConversationPanes key={id} id={Number(id)} found={search.message} onBack={() => open()} />
      )}
    </div>
  );
}
