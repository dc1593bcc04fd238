import { Button, Text, TextInput } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { api, notifySuccess, request, shownByForm } from '../../api/client';
import { keyOfRequest, newIdempotencyKey } from '../../api/idempotency-key';
import { Field } from '../../components/field';
import { Form } from '../../components/form';
import { quoted } from '../../components/shell-quote';
import { Snippet } from '../../components/snippet';
import type { Template } from './template-values';
import { useTemplateValues } from './use-template-values';

/**
 * The template with the person's own values, and the request that sends it.
 * @param phone the recipient; empty for a preview only
 */
export function TemplatePreview({ template, phone: recipient }: { template: Template; phone: string }) {
  const [phone, setPhone] = useState(recipient);
  const { body_params, header_params, button_params, hasHeader, bubble, fields } = useTemplateValues(template);
  const body = {
    phone: phone || '+91 98765 43210',
    template_name: template.name,
    language: template.language,
    body_params,
    ...(hasHeader && { header_params }),
    ...(button_params.length > 0 && { button_params }),
  };
  const curl = `curl ${window.location.origin}/api/v1/send-template \\\n  -H 'X-API-Key: YOUR_KEY' -H 'Content-Type: application/json' \\\n  -d ${quoted(JSON.stringify(body))}`;
  const [seed, setSeed] = useState(newIdempotencyKey);
  const test = useMutation({
    mutationFn: () => {
      const message = { ...body, phone };
      const header = { 'Idempotency-Key': keyOfRequest(seed, message) };
      return request(api.POST('/api/client/messages', { params: { header }, body: message }));
    },
    onError: shownByForm,
    onSuccess: () => {
      setSeed(newIdempotencyKey());
      notifySuccess(`The ${recipient ? 'message' : 'test'} is on its way: see Messages.`);
    },
  });
  return (
    <Form onSubmit={() => test.mutate()} error={test.error}>
      {bubble}
      <Field name="phone">
        <TextInput label="Phone" placeholder="+91 98765 43210" required value={phone} onChange={(e) => setPhone(e.currentTarget.value)} />
      </Field>
      {fields}
      {template.category !== 'AUTHENTICATION' && (
        <Button type="submit" leftSection={<IconSend size={16} />} loading={test.isPending}>
          {recipient ? 'Send' : 'Send a test'}
        </Button>
      )}
      <Text size="sm" fw={600}>
        The same request with your API key
      </Text>
      <Snippet text={curl} />
    </Form>
  );
}
