import { Alert, Button, Group } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { api, request } from '../../api/client';
import { useZone } from '../../api/use-zone';
import { useLiveRefresh } from '../../api/use-live-refresh';
import { useEndlessQuery } from '../../components/use-endless-query';
import { DownloadButton } from '../../components/download-button';
import { LoadMore } from '../../components/load-more';
import { EmptyState } from '../../components/empty-state';
import { QueryResult } from '../../components/query-result';
import { PageTitle } from '../../components/page-title';
import { exportAddress, FILTERS, filterOf, isScan, type LogSearch } from './log-filter';
import { LogFilters } from './log-filters';
import { LogHistogram } from './log-histogram';
import { MessageDetail } from './message-detail';
import { MessageTable } from './message-table';
import { Drawer } from '../../components/drawer';

const route = getRouteApi('/inside/messages');
const PAGE = 100;

export function MessagesPage() {
  const search = route.useSearch() as LogSearch;
  const navigate = route.useNavigate();
  const zone = useZone();
  useLiveRefresh('messages');
  const change = (next: LogSearch) => void navigate({ search: (now: LogSearch) => ({ ...now, ...next }), replace: true });
  const open = (id: string | undefined) => void navigate({ search: (now: LogSearch) => ({ ...now, id }) });
  // A list with a filter that no index serves examines every message, so it refreshes seldom instead of with each event.
  const scans = isScan(search);
  const filter = filterOf(search);
  const { list, isLive, loadMore, backToNewest } = useEndlessQuery({
    queryKey: [scans ? 'message-search' : 'messages', 'list', filter],
    load: (page) => request(api.GET('/api/client/messages', { params: { query: { limit: PAGE, ...page, ...filter } } })),
    rows: ({ messages }) => messages,
    refetchInterval: scans ? 15_000 : 5_000,
  });
  const loaded = list.data?.length ?? 0;
  // A filter with few matches gives short pages; a person decides how far to search.
  const onEnd = () => loaded > 0 && loaded % PAGE === 0 && loadMore();
  return (
    <>
      <PageTitle title="Messages" about={`All sent messages and their delivery; days and hours in the time zone ${zone}`}>
        <DownloadButton variant="default" leftSection={<IconDownload size={16} />} href={exportAddress(search)}>
          Export CSV
        </DownloadButton>
      </PageTitle>
      <LogFilters search={search} onChange={change} />
      <LogHistogram
        search={search}
        onPeriod={(bounds) => change({ from: bounds?.from, to: bounds?.to, ...(bounds && { period: undefined }) })}
      />
      <QueryResult query={list}>
        {(messages) =>
          messages.length === 0 ? (
            list.hasNextPage ? (
              <EmptyState title="No results so far">
                None of the newest messages matches. Search the older ones below, or add a phone number.
              </EmptyState>
            ) : FILTERS.some((name) => search[name]) ? (
              <EmptyState title="No results">No messages match these filters.</EmptyState>
            ) : (
              <EmptyState title="No messages yet">
                Send one with your API key, from a template’s page, or as a broadcast: it appears here at once.
              </EmptyState>
            )
          ) : (
            <MessageTable messages={messages} opened={search.id} onOpen={open} onEnd={onEnd} />
          )
        }
      </QueryResult>
      <Group mt="md" justify="center">
        <LoadMore list={list}>{scans ? 'Search older messages' : 'Older messages'}</LoadMore>
      </Group>
      {!isLive && (
        <Alert pos="fixed" bottom={16} right={16} style={{ zIndex: 100 }} title="New messages are not added here now" role="status">
          <Button
            size="compact-sm"
            onClick={() => {
              window.scrollTo({ top: 0 });
              backToNewest();
            }}
          >
            Back to the newest
          </Button>
        </Alert>
      )}
      <Drawer opened={search.id !== undefined} onClose={() => open(undefined)} position="right" size="lg" title="Message">
        {search.id !== undefined && <MessageDetail id={search.id} />}
      </Drawer>
    </>
  );
}
