import { Group } from '@mantine/core';
import { useDisclosure, useDocumentVisibility } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type Ref } from 'react';
import { api, isGone, request } from '../../api/client';
import { useMe } from '../../api/session';
import { FormDrawer } from '../../components/form-drawer';
import { QueryResult } from '../../components/query-result';
import { usePagedQuery } from '../../components/use-paged-query';
import { BackButton } from './back-button';
import { ContactPane } from './contact-pane';
import { nameOf, type Conversation } from './conversation';
import { ConversationThread } from './conversation-thread';
import { ThreadHeader } from './thread-header';
import { useConversationChange } from './use-conversation-change';
import { useInboxKeys } from './use-inbox-keys';
import { moveWriting } from './use-writing';

/** The condition of a change: the customer wrote nothing that has not been in view. None if a service of the previous version responded. */
const asSeen = ({ last_received_at, created_at }: Conversation) =>
  last_received_at === undefined ? {} : { nothing_received_since: last_received_at ?? created_at };

/**
 * The second and the third pane: a thread, and the person. A narrow screen shows the person in a drawer.
 * @param found a message that a search found
 * @param onMerged gets the id of the conversation into which this one was merged
 */
export function ConversationPanes({
  id,
  ref,
  found,
  onBack,
  onMerged,
}: {
  id: number;
  ref: Ref<HTMLElement>;
  found: string | undefined;
  onBack: () => void;
  onMerged: (id: number) => void;
}) {
  const queries = useQueryClient();
  const { user } = useMe();
  const queryKey = ['inbox', 'thread', id];
  const thread = usePagedQuery({
    queryKey,
    load: (query) =>
      request(
        api.GET('/api/client/conversations/{id}/messages', {
          params: { path: { id }, query: { ...query, ...(found && { limit: 100 }) } },
        }),
      ),
    rows: (page) => [page],
    refetchInterval: 4_000,
  });
  const conversation = isGone(thread.error) ? undefined : thread.data?.[0]?.conversation;
  const messages = (thread.data ?? []).flatMap((page) => page.messages).reverse();
  const notes = thread.data?.[0]?.newest_notes ?? [];
  const keptId = conversation?.id ?? id;
  // Each refresh counts: a request of this conversation may still run.
  useEffect(() => {
    if (keptId !== id && moveWriting(queries, user.id, id, keptId)) onMerged(keptId);
  }, [keptId, thread.dataUpdatedAt]);
  const change = useConversationChange(id);
  const field = useRef<HTMLElement>(null);
  const [isDrawerOpen, drawer] = useDisclosure();
  const isVisible = useDocumentVisibility() === 'visible';
  /** The conversation when its newest message was in view. */
  const [seen, setSeen] = useState<Conversation>();
  const isUnread = (conversation?.unread_count ?? 0) > 0;
  // A failure needs no notification, because the next refresh retries.
  const read = useConversationChange(id, () => undefined);
  // Each refresh counts: a message may arrive after the conversation was marked and before it was loaded again.
  useEffect(() => {
    if (seen && seen === conversation && isUnread && isVisible && !read.isPending) read.mutate({ read: true, ...asSeen(seen) });
  }, [isUnread, isVisible, thread.dataUpdatedAt, seen]);
  const toggle = () => {
    if (conversation?.status === 'closed') change.mutate({ status: 'open' });
    else if (conversation) {
      // Opened at a message that a search found, the thread has not shown what is unread below it.
      const shown = seen ?? { ...conversation, ...(isUnread && { last_received_at: null }) };
      // After a refusal the thread shows the message that came meanwhile.
      change.mutate({ status: 'closed', ...asSeen(shown) }, { onError: () => void queries.invalidateQueries({ queryKey }) });
    }
  };
  useInboxKeys({ e: toggle, r: () => field.current?.focus() });
  const contact = conversation && <ContactPane conversation={conversation} messages={messages} notes={notes} change={change} />;
  return (
    <>
      <section
        className="inbox-thread"
        ref={ref}
        tabIndex={-1}
        aria-label={conversation ? `Conversation with ${nameOf(conversation)}` : 'Conversation'}
      >
        {!conversation && (
          <Group className="inbox-header">
            <BackButton onClick={onBack} />
          </Group>
        )}
        <QueryResult query={thread}>
          {() =>
            conversation && (
              <>
                <ThreadHeader conversation={conversation} change={change} onBack={onBack} onToggle={toggle} onDetails={drawer.open} />
                <ConversationThread
                  id={id}
                  conversation={conversation}
                  messages={messages}
                  list={thread}
                  found={found}
                  field={field}
                  onSeen={setSeen}
                />
              </>
            )
          }
        </QueryResult>
      </section>
      <aside className="inbox-contact" aria-label="Customer">
        {contact}
      </aside>
      <FormDrawer opened={isDrawerOpen} onClose={drawer.close} position="right" size="sm" title="Customer">
        {contact}
      </FormDrawer>
    </>
  );
}
