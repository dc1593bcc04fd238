import { Button, Modal, Select, Stack, Text } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, request } from '../../api/client';
import { newIdempotencyKey } from '../../api/idempotency-key';
import { PhoneBubble } from '../../components/phone-bubble';
import { Wallpaper } from '../../components/wallpaper';
import { TemplateValueFields } from '../templates/template-value-fields';
import { buttonFields, filledHeader, headerFields, labelsOf, type Template } from '../templates/template-values';
import { Form } from '../../components/form';

/** Chooses a template, fills it in and sends it at once. */
export function TemplatePicker({ opened, onClose, conversationId }: { opened: boolean; onClose: () => void; conversationId: number }) {
  const templates = useQuery({ queryKey: ['templates'], queryFn: () => request(api.GET('/api/client/templates')), enabled: opened });
  const [chosen, choose] = useState<string | null>(null);
  // A code goes out by the API only.
  const usable = (templates.data?.templates ?? []).filter(({ status, category }) => status === 'APPROVED' && category !== 'AUTHENTICATION');
  const template = usable.find(({ id }) => String(id) === chosen);
  return (
    <Modal opened={opened} onClose={onClose} title="Send a template" size="lg">
      <Stack>
        <Select
          label="Template"
          placeholder="Name"
          searchable
          data-autofocus
          nothingFoundMessage="No approved template has this name."
          data={usable.map(({ id, name, language }) => ({ value: String(id), label: `${name} (${language})` }))}
          value={chosen}
          onChange={choose}
        />
        {template && <FilledTemplate key={template.id} template={template} conversationId={conversationId} onSent={onClose} />}
        {templates.data && usable.length === 0 && (
          <Text size="sm">No template is approved yet. Write one in WhatsApp Manager; it appears under Templates when it is approved.</Text>
        )}
      </Stack>
    </Modal>
  );
}

function FilledTemplate({ template, conversationId, onSent }: { template: Template; conversationId: number; onSent: () => void }) {
  const queries = useQueryClient();
  const [headers, buttons] = [headerFields(template), buttonFields(template)];
  const [values, setValues] = useState<string[]>(template.variables.map(() => ''));
  const [headerValues, setHeaderValues] = useState<string[]>(headers.map(() => ''));
  const [buttonValues, setButtonValues] = useState<string[]>(buttons.map(() => ''));
  // However often it is retried, the customer gets it once.
  const [key] = useState(newIdempotencyKey);
  const header_params = headerValues.filter((value, i) => value || !headers[i]?.isOptional);
  const send = useMutation({
    mutationFn: () => {
      const params = { path: { id: conversationId }, header: { 'Idempotency-Key': key } };
      const { name: template_name, language } = template;
      const body = { template_name, language, body_params: values, header_params, button_params: buttonValues };
      return request(api.POST('/api/client/conversations/{id}/templates', { params, body }));
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['inbox'] });
      onSent();
    },
  });
  const isFilled = [...values, ...header_params, ...buttonValues].every(Boolean);
  const text = template.content.replace(/\{\{\s*(\d+)\s*\}\}/g, (whole, number: string) => values[Number(number) - 1] || whole);
  return (
    <Form onSubmit={() => send.mutate()}>
      <Wallpaper>
        <PhoneBubble header={filledHeader(template, headerValues)} text={text} footer={template.footer_text} buttons={labelsOf(template)} />
      </Wallpaper>
      <TemplateValueFields fields={headers} values={headerValues} onChange={setHeaderValues} />
      <TemplateValueFields
        fields={template.variables.map((name, i) => ({ label: `{{${i + 1}}}${name === String(i + 1) ? '' : ` ${name}`}` }))}
        values={values}
        onChange={setValues}
      />
      <TemplateValueFields fields={buttons} values={buttonValues} onChange={setButtonValues} />
      <Button type="submit" leftSection={<IconSend size={16} />} loading={send.isPending} disabled={!isFilled}>
        Send
      </Button>
    </Form>
  );
}
