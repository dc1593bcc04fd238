import { VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { api, notifySuccess, request } from '../../api/client';
import { useLiveRefresh } from '../../api/use-live-refresh';
import { EmptyState } from '../../components/empty-state';
import { counted } from '../../components/format-number';
import { onDemand } from '../../components/on-demand';
import { useEndlessQuery } from '../../components/use-endless-query';
import { useSearchText } from '../../components/use-search-text';
import '@mantine/core/styles/Kbd.css';
import './inbox.css';
import { VIEWS, type ListedConversation, type View } from './conversation';
import { ConversationList } from './conversation-list';
import { ConversationPanes } from './conversation-panes';
import type { Filters } from './list-filters';
import { useInboxKeys } from './use-inbox-keys';
import { useNeighbor } from './use-neighbor';

const LabelsDialog = onDemand(async () => (await import('./labels-dialog')).LabelsDialog);
const NewConversationDialog = onDemand(async () => (await import('./new-conversation-dialog')).NewConversationDialog);

/** Conversations of a page, the most that the gateway returns. */
const PAGE = 100;

const route = getRouteApi('/inside/inbox');

export function InboxPage() {
  const search = route.useSearch() as { id?: string; message?: string; q?: string; view?: string; label?: string; unread?: string };
  const navigate = route.useNavigate();
  const router = useRouter();
  const { q, id } = search;
  const view: View = VIEWS.find((one) => one.view === search.view)?.view ?? 'open';
  const [text, setText] = useSearchText(q, (next) => void navigate({ search: (now) => ({ ...now, q: next }), replace: true }));
  const searchField = useRef<HTMLInputElement>(null);
  useLiveRefresh('inbox');
  const filters: Filters = { isUnread: search.unread === '1', label: search.label };
  const setFilters = ({ isUnread, label }: Filters) =>
    void navigate({ search: (now) => ({ ...now, unread: isUnread ? '1' : undefined, label }) });
  // A search finds everybody, also people who never wrote.
  const filter = {
    view: q ? ('all' as const) : view,
    ...(q && { q }),
    ...(filters.label && { label: filters.label }),
    ...(filters.isUnread && { unread: '1' as const }),
  };
  const {
    list: pages,
    isLive,
    loadMore,
    backToNewest,
  } = useEndlessQuery({
    queryKey: ['inbox', 'list', filter],
    load: (page) => request(api.GET('/api/client/conversations', { params: { query: { ...filter, ...page, limit: PAGE } } })),
    rows: (page) => [page],
    refetchInterval: 5_000,
  });
  const conversations = pages.data?.flatMap((page) => page.conversations);
  const open = (next?: ListedConversation) =>
    void navigate({ search: (now) => ({ ...now, id: next && String(next.id), message: next?.found?.message_id }) });
  const neighbor = useNeighbor(id, JSON.stringify(filter), conversations, !pages.isFetching);
  const step = (by: 1 | -1) => {
    // The address has the previous step, which the page may not have drawn yet.
    const next = neighbor(by, (router.latestLocation.search as { id?: string }).id);
    if (next) open(next);
  };
  // A filtered page may be short, and a list that loads more does not refresh (decision 550).
  const isFull = (conversations?.length ?? 0) >= PAGE || (view !== 'unassigned' && !filters.isUnread && !filters.label);
  const [isLabelling, labelling] = useDisclosure();
  const [isBeginning, beginning] = useDisclosure();
  /** @param isDialogOpen a closed dialog opens no conversation in place of what the person does since */
  const showPerson = async (phone: string, isDialogOpen: boolean) => {
    const { href } = router.latestLocation;
    const found = await request(api.GET('/api/client/conversations', { params: { query: { q: phone } } })).catch(() => null);
    const person = found?.conversations.find((one) => one.customer_phone === phone);
    // The views hold conversations in which the customer wrote.
    if (!person?.last_received_at)
      notifySuccess('Sent. The conversation appears in the list when the customer replies. Until then, search for the number.');
    else if (!isDialogOpen) notifySuccess('Sent.');
    if (!isDialogOpen || router.latestLocation.href !== href) return;
    if (person) open(person);
    // The search finds somebody new a little later.
    else setText(phone);
  };
  const panes = useRef<HTMLElement>(null);
  const opened = useRef(id);
  // Tab goes on in the conversation that opened, and not through the rest of the list. The way back leads to its row.
  useEffect(() => {
    const next = id === undefined ? document.querySelector<HTMLElement>(`[data-conversation="${Number(opened.current)}"]`) : panes.current;
    if (id !== opened.current) next?.focus({ preventScroll: true });
    opened.current = id;
  }, [id]);
  useInboxKeys({ j: () => step(1), k: () => step(-1), '/': () => searchField.current?.focus() });
  return (
    <div className="inbox" data-open={id !== undefined || undefined}>
      {/* A phone hides the list with its title, but the page keeps its heading. */}
      <VisuallyHidden component="h1">Inbox</VisuallyHidden>
      <VisuallyHidden role="status">
        {q &&
          conversations &&
          !pages.isPlaceholderData &&
          `${pages.hasNextPage ? 'At least ' : ''}${counted(conversations.length, 'conversation')} found`}
      </VisuallyHidden>
      <ConversationList
        list={{ ...pages, data: conversations }}
        counts={pages.data?.[0]?.counts}
        view={view}
        onView={(next) => {
          setText('');
          void navigate({ search: (now) => ({ ...now, view: next, q: undefined }) });
        }}
        filters={filters}
        onFilters={setFilters}
        search={text}
        onSearch={setText}
        searchField={searchField}
        openId={id}
        onOpen={open}
        onEnd={() => !q && isFull && loadMore()}
        onNewest={isLive ? undefined : backToNewest}
        onNew={beginning.open}
        onLabels={labelling.open}
      />
      {id === undefined ? (
        <div className="inbox-thread inbox-nothing">
          {conversations?.length !== 0 && (
            <EmptyState title="Choose a conversation">Its messages and the reply box appear here.</EmptyState>
          )}
        </div>
      ) : (
        <ConversationPanes
          key={id}
          id={Number(id)}
          ref={panes}
          found={search.message}
          onBack={() => open()}
          onMerged={(kept) => void navigate({ search: (now) => ({ ...now, id: String(kept) }), replace: true })}
        />
      )}
      <LabelsDialog
        opened={isLabelling}
        onClose={labelling.close}
        onRenamed={(from, to) => {
          // The response may arrive after the person changed the filters or left.
          const { label } = router.latestLocation.search as typeof search;
          if (label === from) void navigate({ search: (now) => ({ ...now, label: to }) });
        }}
      />
      <NewConversationDialog opened={isBeginning} onClose={beginning.close} onSent={(phone, isOpen) => void showPerson(phone, isOpen)} />
    </div>
  );
}
