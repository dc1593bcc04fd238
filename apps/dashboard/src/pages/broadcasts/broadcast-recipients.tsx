import { Group, Pill, Select, Stack, Text, Title } from '@mantine/core';
import { IconDownload, IconSearch } from '@tabler/icons-react';
import { api, request, type Schemas } from '../../api/client';
import { DownloadButton } from '../../components/download-button';
import { LoadMore } from '../../components/load-more';
import { QueryResult } from '../../components/query-result';
import { shownReason } from '../../components/shown-status';
import { usePagedQuery } from '../../components/use-paged-query';
import { SearchField } from '../../components/search-field';
import { useSearchText } from '../../components/use-search-text';
import { RECIPIENT_FILTERS, recipientQuery, type RecipientFilter, type Recipients } from './recipient-filter';
import { RecipientTable } from './recipient-table';

export function BroadcastRecipients({
  id,
  shown,
  status,
  onChange,
}: {
  id: number;
  shown: Recipients;
  status: Schemas['Broadcast']['status'];
  onChange: (shown: Recipients) => void;
}) {
  const [text, setText] = useSearchText(shown.phone, (phone) => onChange({ ...shown, phone }));
  const list = usePagedQuery({
    queryKey: ['broadcasts', id, 'recipients', shown],
    load: (page) =>
      request(
        api.GET('/api/client/broadcasts/{id}/recipients', {
          params: { path: { id }, query: { limit: 25, ...recipientQuery(shown), ...page } },
        }),
      ),
    rows: (page) => page.recipients,
    refetchInterval: status === 'running' || status === 'paused' || status === 'scheduled' ? 3_000 : 15_000,
  });
  const filter = new URLSearchParams({ ...recipientQuery(shown), format: 'csv' });
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-end">
        <Title order={4} size="h5">
          Recipients
        </Title>
        <DownloadButton
          variant="default"
          size="xs"
          leftSection={<IconDownload size={14} />}
          href={`/api/client/broadcasts/${id}/recipients?${filter.toString()}`}
        >
          Download as CSV
        </DownloadButton>
      </Group>
      <Group grow align="flex-end">
        <SearchField
          label="Phone"
          placeholder="Any part of the number"
          leftSection={<IconSearch size={16} />}
          value={text}
          onChange={setText}
        />
        <Select
          label="State"
          placeholder="All"
          clearable
          data={RECIPIENT_FILTERS}
          value={shown.state ?? null}
          onChange={(state) => onChange({ ...shown, state: (state as RecipientFilter | null) ?? undefined, reason: undefined })}
        />
      </Group>
      {shown.reason !== undefined && (
        <Pill
          withRemoveButton
          maw="100%"
          style={{ alignSelf: 'flex-start' }}
          removeButtonProps={{ 'aria-label': 'Show all reasons' }}
          onRemove={() => onChange({ ...shown, reason: undefined })}
        >
          {shownReason(shown.reason)}
        </Pill>
      )}
      <QueryResult query={list} rows={3}>
        {(recipients) =>
          recipients.length === 0 && !list.hasNextPage ? (
            <Text size="sm" c="dimmed">
              No recipients match these filters.
            </Text>
          ) : (
            <RecipientTable recipients={recipients} isRunning={status === 'running'} />
          )
        }
      </QueryResult>
      <LoadMore list={list}>Show more</LoadMore>
    </Stack>
  );
}
