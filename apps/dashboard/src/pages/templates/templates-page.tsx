import { Button, Card, Group, Modal, SimpleGrid, Text, Title } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api, request } from '../../api/client';
import { labelsOf, type Template } from './template-values';
import { RelativeTime } from '../../components/relative-time';
import { PhoneBubble } from '../../components/phone-bubble';
import { StateBadge } from '../../components/state-badge';
import { Wallpaper } from '../../components/wallpaper';
import { EmptyState } from '../../components/empty-state';
import { QueryResult } from '../../components/query-result';
import { PageTitle } from '../../components/page-title';
import { TemplatePreview } from './template-preview';

const route = getRouteApi('/inside/templates');

export function TemplatesPage() {
  const search = route.useSearch() as { phone?: string };
  const queries = useQueryClient();
  const [chosen, choose] = useState<Template | null>(null);
  const list = useQuery({
    queryKey: ['templates'],
    queryFn: () => request(api.GET('/api/client/templates')),
    refetchInterval: (query) => (query.state.data?.sync.state === 'running' ? 700 : false),
  });
  const sync = useMutation({
    mutationFn: () => request(api.POST('/api/client/templates/sync')),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['templates'] }),
  });
  const running = sync.isPending || list.data?.sync.state === 'running';
  return (
    <>
      <PageTitle title="Templates" about="Messages that WhatsApp approves in advance; you can send them at any time">
        <Button variant="default" leftSection={<IconRefresh size={16} />} loading={running} onClick={() => sync.mutate()}>
          Sync
        </Button>
      </PageTitle>
      <QueryResult query={list}>
        {({ templates, sync: state }) => (
          <>
            <Text size="sm" c="dimmed" mb="sm">
              {state.problem ? (
                `The last sync failed: ${state.problem}`
              ) : (
                <>
                  {state.found} templates, synced <RelativeTime at={state.finished_at} />
                </>
              )}
            </Text>
            {templates.length === 0 && (
              <EmptyState title="No templates yet">
                Write one in WhatsApp Manager. When it is approved, it appears here by itself.
              </EmptyState>
            )}
            <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
              {templates.map((template) => (
                <Card key={template.id} withBorder>
                  <Group justify="space-between" mb="xs" wrap="nowrap">
                    <div style={{ minWidth: 0 }}>
                      <Title order={2} size="h6" style={{ overflowWrap: 'anywhere' }}>
                        {template.name}
                      </Title>
                      <Text size="xs" c="dimmed">
                        {template.language} · {template.category.toLowerCase()}
                      </Text>
                    </div>
                    <StateBadge of={template.status} />
                  </Group>
                  <Wallpaper>
                    <PhoneBubble
                      header={template.header_text ?? (template.header_type && `[${template.header_type.toLowerCase()}]`)}
                      text={template.content}
                      footer={template.footer_text}
                      buttons={labelsOf(template)}
                    />
                  </Wallpaper>
                  <Button mt="sm" variant="light" onClick={() => choose(template)} disabled={template.status !== 'APPROVED'}>
                    Copy values
                  </Button>
                </Card>
              ))}
            </SimpleGrid>
          </>
        )}
      </QueryResult>
      <Modal opened={chosen !== null} onClose={() => choose(null)} title={chosen?.name} size="lg">
        {chosen && <TemplatePreview template={chosen} phone={search.phone ?? ''} />}
      </Modal>
    </>
  );
}
