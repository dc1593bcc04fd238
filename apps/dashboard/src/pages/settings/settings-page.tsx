import { Grid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, request } from '../../api/client';
import { LoadingRows, QueryResult } from '../../components/query-result';
import { PageTitle } from '../../components/page-title';
import { useFirstLoad } from '../../components/use-first-load';
import { ConnectionSummary } from './connection-summary';
import { BusinessRules } from './business-rules';
import { OptedOutContacts } from './opted-out-contacts';
import { Team } from './team';

export function SettingsPage() {
  const connection = useQuery({
    queryKey: ['connection'],
    queryFn: () => request(api.GET('/api/client/connection')),
    refetchInterval: 4_000,
  });
  const settings = useQuery({ queryKey: ['settings'], queryFn: () => request(api.GET('/api/client/settings')) });
  const isLoading = useFirstLoad();
  return (
    <>
      <PageTitle title="Settings" about="Connection, time zone, opt-outs, team" />
      {isLoading && <LoadingRows />}
      <Grid hidden={isLoading}>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack>
            <QueryResult query={connection}>{(data) => <ConnectionSummary connection={data} />}</QueryResult>
            <Team />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack>
            <QueryResult query={settings}>{(data) => <BusinessRules settings={data} />}</QueryResult>
            <OptedOutContacts />
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  );
}
