import { Grid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, request } from '../../api/client';
import { LoadingRows, QueryResult } from '../../components/query-result';
import { PageTitle } from '../../components/page-title';
import { useFirstLoad } from '../../components/use-first-load';
import { AutoReplyForm } from './auto-reply-form';
import { ReplyCosts } from './reply-costs';
import { TryAutoReply } from './try-auto-reply';
import { RecentReplies } from './recent-replies';

export function AutoReplyPage() {
  const settings = useQuery({ queryKey: ['auto-reply'], queryFn: () => request(api.GET('/api/client/auto-reply')) });
  const isLoading = useFirstLoad();
  return (
    <>
      <PageTitle title="Auto-reply" about="A language model replies to customers within the 24-hour window" />
      {isLoading && <LoadingRows />}
      <Grid hidden={isLoading}>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <QueryResult query={settings}>{(data) => <AutoReplyForm settings={data} />}</QueryResult>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack>
            <QueryResult query={settings} rows={5}>
              {(data) => <ReplyCosts settings={data} />}
            </QueryResult>
            <TryAutoReply />
            <RecentReplies isOn={settings.data?.enabled ?? false} />
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  );
}
