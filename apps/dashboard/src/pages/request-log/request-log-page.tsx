import { Button, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api, request } from '../../api/client';
import { EmptyState } from '../../components/empty-state';
import { PageTitle } from '../../components/page-title';
import { QueryResult } from '../../components/query-result';
import { Snippet } from '../../components/snippet';
import { RequestDetail } from './request-detail';
import { RequestFilters, type RequestSearch } from './request-filters';
import { RequestTable } from './request-table';
import { Drawer } from '../../components/drawer';

const route = getRouteApi('/inside/requests');

/** `id` alone, such as from a response, opens the newest request that has it. */
type Search = RequestSearch & { id?: string | undefined; at?: string | undefined };

/** The requests to the REST API that failed (decision 660). */
export function RequestLogPage() {
  const search = route.useSearch() as Search;
  const { status, api_key_id, id, at } = search;
  const navigate = route.useNavigate();
  const change = (next: Search, replace: boolean) => void navigate({ search: (now: Search) => ({ ...now, ...next }), replace });
  const query = { limit: 200, ...(status && { status: status as '4xx' | '5xx' }), ...(api_key_id && { api_key_id: Number(api_key_id) }) };
  const list = useQuery({
    queryKey: ['requests', query],
    queryFn: () => request(api.GET('/api/client/requests', { params: { query } })),
    refetchInterval: 5_000,
  });
  const opened = list.data?.requests.find((one) => one.request_id === id && (at === undefined || one.at === at));
  return (
    <>
      <PageTitle title="Request log" about="Requests to the REST API that were refused or failed, of the last seven days">
        <Button variant="default" leftSection={<IconRefresh size={16} />} onClick={() => void list.refetch()}>
          Refresh
        </Button>
      </PageTitle>
      <RequestFilters search={search} onChange={(next) => change(next, true)} />
      <QueryResult query={list}>
        {({ requests, kept }) =>
          requests.length > 0 ? (
            <>
              <RequestTable requests={requests} opened={opened} onOpen={(one) => change({ id: one.request_id, at: one.at }, false)} />
              <Text size="sm" c="dimmed" mt="md">
                The newest {kept} entries are kept. Sends that succeeded are on the page Messages.
              </Text>
            </>
          ) : status || api_key_id ? (
            <EmptyState title="No results">No failed requests match these filters.</EmptyState>
          ) : (
            <EmptyState title="No failed requests" action={<Snippet text={exampleOf(window.location.origin)} />}>
              Requests with one of your keys that are refused or fail appear here within seconds, with their reason. This one is refused:
            </EmptyState>
          )
        }
      </QueryResult>
      <Drawer
        opened={id !== undefined}
        onClose={() => change({ id: undefined, at: undefined }, false)}
        position="right"
        size="lg"
        title="Failed request"
      >
        <QueryResult query={list}>
          {() =>
            opened ? (
              <RequestDetail request={opened} />
            ) : (
              <Text size="sm">
                The log has no failed request {id}. It succeeded, is older than the kept ones, was counted in another entry, or does not
                match the filters.
              </Text>
            )
          }
        </QueryResult>
      </Drawer>
    </>
  );
}

const exampleOf = (site: string): string =>
  `curl ${site}/api/v1/send-text \\\n  -H 'X-API-Key: YOUR_KEY' -H 'Content-Type: application/json' \\\n  -d '{}'`;
