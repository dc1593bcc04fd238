import { Button, Modal, Select, Stack, Text } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, request, shownByForm } from '../../api/client';
import { newIdempotencyKey } from '../../api/idempotency-key';
import { Form } from '../../components/form';
import type { Template } from '../templates/template-values';
import { useTemplateValues } from '../templates/use-template-values';

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
  const { body_params, header_params, button_params, isFilled, bubble, fields } = useTemplateValues(template);
  // However often it is retried, the customer gets it once.
  const [key] = useState(newIdempotencyKey);
  const send = useMutation({
    mutationFn: () => {
      const params = { path: { id: conversationId }, header: { 'Idempotency-Key': key } };
      const { name: template_name, language } = template;
      const body = { template_name, language, body_params, header_params, button_params };
      return request(api.POST('/api/client/conversations/{id}/templates', { params, body }));
    },
    onError: shownByForm,
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['inbox'] });
      onSent();
    },
  });
  return (
    <Form onSubmit={() => send.mutate()} error={send.error}>
      {bubble}
      {fields}
      <Button type="submit" leftSection={<IconSend size={16} />} loading={send.isPending} disabled={!isFilled}>
        Send
      </Button>
    </Form>
  );
}
