import { Button, Card, Group, SimpleGrid, Text, Title } from '@mantine/core';
import { IconPlus, IconRefresh } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api, request, type Schemas } from '../../api/client';
import { useMayCall } from '../../api/session';
import type { Template } from './template-values';
import { RelativeTime } from '../../components/relative-time';
import { FormModal } from '../../components/form-modal';
import { EmptyState } from '../../components/empty-state';
import { QueryResult } from '../../components/query-result';
import { counted } from '../../components/format-number';
import { PageTitle } from '../../components/page-title';
import { TemplateEditor } from './template-editor';
import { EMPTY_FORM, editFault, formOf } from './template-form';
import { TemplateLanguage } from './template-language';
import { TemplatePreview } from './template-preview';
import { TemplateUse } from './template-use';

/** Templates by name, with all their languages. */
function byName(templates: Template[]): Map<string, Template[]> {
  const found = new Map<string, Template[]>();
  for (const template of templates) found.set(template.name, [...(found.get(template.name) ?? []), template]);
  return found;
}

/** Milliseconds until the list is read again. A review ends at any time, and the stream of live events does not report it. */
function refreshPause(list: Schemas['TemplateList'] | undefined): number {
  if (list?.sync.state === 'running') return 700;
  return list?.templates.some(({ status }) => status === 'PENDING') ? 3_000 : 15_000;
}

const route = getRouteApi('/inside/templates');

export function TemplatesPage() {
  const search = route.useSearch() as { phone?: string; edit?: string; from?: string; name?: string };
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const [chosenId, choose] = useState<number | null>(null);
  const list = useQuery({
    queryKey: ['templates'],
    queryFn: () => request(api.GET('/api/client/templates')),
    refetchInterval: (query) => refreshPause(query.state.data),
  });
  const sync = useMutation({
    mutationFn: () => request(api.POST('/api/client/templates/sync')),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['templates'] }),
  });
  const set = (change: Record<string, string | undefined>) => void navigate({ search: { ...search, ...change } });
  const leave = () => set({ edit: undefined, from: undefined });
  const mayCreate = useMayCall('POST /api/client/templates');
  const all = list.data?.templates;
  const chosen = all?.find(({ id }) => id === chosenId);
  if (search.edit !== undefined && mayCreate && all) {
    const source = search.edit === 'new' ? search.from : search.edit;
    const shown = all.find(({ id }) => String(id) === source);
    if (source !== undefined && !shown)
      return (
        <>
          <PageTitle title="Edit a template" />
          <EmptyState title="This template is gone" action={<Button onClick={leave}>All templates</Button>}>
            It was deleted, or WhatsApp no longer lists it. If it comes back, so does what you entered.
          </EmptyState>
        </>
      );
    const initial = shown ? formOf(shown) : EMPTY_FORM;
    return (
      <TemplateEditor
        key={`${search.edit} ${search.from}`}
        id={search.edit === 'new' ? null : (shown?.id ?? null)}
        initial={search.edit === 'new' && shown ? { ...initial, language: '' } : initial}
        onDone={leave}
      />
    );
  }
  const running = sync.isPending || list.data?.sync.state === 'running';
  return (
    <>
      <PageTitle title="Templates" about="Messages that WhatsApp approves in advance; you can send them at any time">
        <Button variant="default" leftSection={<IconRefresh size={16} />} loading={running} onClick={() => sync.mutate()}>
          Sync
        </Button>
        {mayCreate && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => set({ edit: 'new' })}>
            New template
          </Button>
        )}
      </PageTitle>
      <QueryResult query={list}>
        {({ templates, sync: state }) => (
          <>
            <Text size="sm" c="dimmed" mb="sm">
              {state.problem ? (
                `The last sync failed: ${state.problem}`
              ) : (
                <>
                  {counted(state.found, 'template')}, synced <RelativeTime at={state.finished_at} />
                </>
              )}
            </Text>
            {templates.length === 0 && (
              <EmptyState title="No templates yet">
                Write the first one: starters for orders, deliveries, reminders, offers and codes help. WhatsApp approves it, mostly within
                minutes.
              </EmptyState>
            )}
            {search.name && (
              <Button variant="subtle" size="compact-sm" mb="sm" onClick={() => set({ name: undefined })}>
                Show all templates
              </Button>
            )}
            {/* A template in several languages takes a row; the next ones fill the row before it. */}
            <SimpleGrid type="container" cols={{ base: 1, '600px': 2, '900px': 3 }} style={{ gridAutoFlow: 'dense' }}>
              {[...byName(templates.filter(({ name }) => !search.name || name === search.name))].map(([name, languages]) => (
                <Card key={name} withBorder {...(languages.length > 1 && { style: { gridColumn: '1 / -1' } })}>
                  <Group justify="space-between" mb="xs">
                    <div>
                      <Title order={2} size="h6" style={{ overflowWrap: 'anywhere' }}>
                        {name}
                      </Title>
                      <TemplateUse name={name} sent={languages[0]?.sent_7_days ?? null} />
                    </div>
                    {mayCreate && languages[0] && editFault({ ...languages[0], status: 'APPROVED' }) === null && (
                      <Button
                        size="compact-sm"
                        variant="subtle"
                        aria-label={`Add a language to ${name}`}
                        onClick={() => set({ edit: 'new', from: String(languages[0]?.id) })}
                      >
                        Add a language
                      </Button>
                    )}
                  </Group>
                  <SimpleGrid
                    type="container"
                    cols={{ base: 1, '560px': Math.min(2, languages.length), '860px': Math.min(3, languages.length) }}
                  >
                    {languages.map((template) => (
                      <TemplateLanguage
                        key={template.id}
                        template={template}
                        onFill={() => choose(template.id)}
                        onEdit={() => set({ edit: String(template.id) })}
                      />
                    ))}
                  </SimpleGrid>
                </Card>
              ))}
            </SimpleGrid>
          </>
        )}
      </QueryResult>
      <FormModal opened={chosen !== undefined} onClose={() => choose(null)} title={chosen?.name} size="lg">
        {chosen && <TemplatePreview key={`${chosen.id} ${chosen.content}`} template={chosen} phone={search.phone ?? ''} />}
      </FormModal>
    </>
  );
}
