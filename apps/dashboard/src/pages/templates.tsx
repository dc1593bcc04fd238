import { Button, Card, Group, Modal, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconRefresh, IconSend } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useCreateBroadcast } from '../api/broadcasts';
import { api, ask, praise } from '../api/client';
import { Ago, PhoneBubble, Snippet, State, Wallpaper } from '../components/bits';
import { quoted } from '../components/command-line';
import { Empty, Loaded, PageTitle } from '../components/states';
import { buttonFields, buttonsOf, filledHeader, headerFields, type Template, type ValueField } from './template-values';

const route = getRouteApi('/inside/templates');
const labelsOf = (template: Template) => buttonsOf(template).map(({ text }) => text ?? '');

export function TemplatesPage() {
  const search = route.useSearch() as { phone?: string };
  const queries = useQueryClient();
  const [chosen, choose] = useState<Template | null>(null);
  const list = useQuery({
    queryKey: ['templates'],
    queryFn: () => ask(api.GET('/api/client/templates')),
    refetchInterval: (query) => (query.state.data?.sync.state === 'running' ? 700 : false),
  });
  const sync = useMutation({
    mutationFn: () => ask(api.POST('/api/client/templates/sync', { headers: { 'content-type': 'application/json' } })),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['templates'] }),
  });
  const running = sync.isPending || list.data?.sync.state === 'running';
  return (
    <>
      <PageTitle title="Templates" about="Messages that WhatsApp has approved; they can be sent at any time">
        <Button variant="default" leftSection={<IconRefresh size={16} />} loading={running} onClick={() => sync.mutate()}>
          Sync
        </Button>
      </PageTitle>
      <Loaded query={list}>
        {({ templates, sync: state }) => (
          <>
            <Text size="sm" c="dimmed" mb="sm">
              {state.problem ? (
                `The last sync failed: ${state.problem}`
              ) : (
                <>
                  {state.found} templates, read <Ago at={state.finished_at} />
                </>
              )}
            </Text>
            {templates.length === 0 && (
              <Empty title="No templates yet">Write one in WhatsApp Manager. When it is approved, it appears here by itself.</Empty>
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
                    <State of={template.status} />
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
                    Fill in and copy
                  </Button>
                </Card>
              ))}
            </SimpleGrid>
          </>
        )}
      </Loaded>
      <Modal opened={chosen !== null} onClose={() => choose(null)} title={chosen?.name} size="lg">
        {chosen && <Fill template={chosen} phone={search.phone ?? ''} />}
      </Modal>
    </>
  );
}

/**
 * The template with one's own values, and the request that sends it. It goes out as a broadcast to one person.
 * @param phone of a customer who is to get it; empty: it is only tried
 */
function Fill({ template, phone: given }: { template: Template; phone: string }) {
  const [phone, setPhone] = useState(given);
  const [values, setValues] = useState<string[]>(template.variables.map(() => ''));
  const [headers, buttons] = [headerFields(template), buttonFields(template)];
  const [headerValues, setHeaderValues] = useState<string[]>(headers.map(() => ''));
  const [buttonValues, setButtonValues] = useState<string[]>(buttons.map(() => ''));
  const text = template.content.replace(/\{\{\s*(\d+)\s*\}\}/g, (whole, number: string) => values[Number(number) - 1] || whole);
  const header_params = headerValues.filter((value, i) => value || !headers[i]?.isOptional);
  const body = {
    phone: phone || '+91 98765 43210',
    template_name: template.name,
    language: template.language,
    body_params: values,
    ...(headers.length > 0 && { header_params }),
    ...(buttons.length > 0 && { button_params: buttonValues }),
  };
  const curl = `curl ${window.location.origin}/api/v1/send-template \\\n  -H 'X-API-Key: YOUR_KEY' -H 'Content-Type: application/json' \\\n  -d ${quoted(JSON.stringify(body))}`;
  const isFilled = [...values, ...header_params].every(Boolean);
  const test = useCreateBroadcast(() => praise(`The ${given ? 'message' : 'test'} is on its way: see Messages.`));
  const asBroadcast = {
    name: given ? `${template.name} to ${phone}` : `Test of ${template.name}`,
    template_name: template.name,
    language: template.language,
    recipients: [{ phone, body_params: values, header_params }],
  };
  return (
    <Stack>
      <Wallpaper>
        <PhoneBubble header={filledHeader(template, headerValues)} text={text} footer={template.footer_text} buttons={labelsOf(template)} />
      </Wallpaper>
      <TextInput label="Phone" placeholder="+91 98765 43210" value={phone} onChange={(e) => setPhone(e.currentTarget.value)} />
      <Values fields={headers} values={headerValues} onChange={setHeaderValues} />
      <Values
        fields={template.variables.map((name, i) => ({ label: `{{${i + 1}}}${name === String(i + 1) ? '' : ` ${name}`}` }))}
        values={values}
        onChange={setValues}
      />
      <Values fields={buttons} values={buttonValues} onChange={setButtonValues} />
      {buttons.length > 0 ? (
        <Text size="sm" c="dimmed">
          From here it would go out as a broadcast, which cannot fill in a button: send this one with your API key.
        </Text>
      ) : (
        template.category !== 'AUTHENTICATION' && (
          <Button
            leftSection={<IconSend size={16} />}
            loading={test.isPending}
            disabled={!phone || !isFilled}
            onClick={() => test.mutate(asBroadcast)}
          >
            {given ? 'Send' : 'Send a test'}
          </Button>
        )
      )}
      <Text size="sm" fw={600}>
        The same with your API key
      </Text>
      <Snippet text={curl} />
    </Stack>
  );
}

function Values({ fields, values, onChange }: { fields: ValueField[]; values: string[]; onChange: (values: string[]) => void }) {
  return fields.map(({ label, isOptional }, i) => (
    <TextInput
      key={i}
      label={label}
      placeholder={isOptional ? 'Optional' : undefined}
      value={values[i] ?? ''}
      onChange={(e) => onChange(values.map((value, at) => (at === i ? e.currentTarget.value : value)))}
    />
  ));
}
