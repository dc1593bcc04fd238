import { Anchor, Button, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, request, shownByForm } from '../../api/client';
import { keyOfRequest, newIdempotencyKey } from '../../api/idempotency-key';
import { Field } from '../../components/field';
import { Form } from '../../components/form';
import { phoneUnderstood } from '../../components/phone-shown';
import { quoted } from '../../components/shell-quote';
import { Snippet } from '../../components/snippet';
import { invalidIf } from '../../components/words-of-fault';
import type { Template } from './template-values';
import { useTemplateValues } from './use-template-values';

/**
 * The template with the person's own values, and the request that sends it.
 * @param phone the recipient; empty for a preview only
 */
export function TemplatePreview({ template, phone: recipient }: { template: Template; phone: string }) {
  const navigate = useNavigate();
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
    onSuccess: ({ message_id }) => {
      setSeed(newIdempotencyKey());
      const search = { id: message_id };
      notifications.show({
        color: 'green',
        title: `The ${recipient ? 'message' : 'test'} is on its way.`,
        // A notification stands outside the router, so it has no Link.
        message: (
          <Anchor component="button" type="button" inherit onClick={() => void navigate({ to: '/messages', search })}>
            See it in Messages
          </Anchor>
        ),
        autoClose: 8_000,
      });
    },
  });
  return (
    <Form onSubmit={() => test.mutate()} error={test.error}>
      {bubble}
      <Field name="phone">
        <TextInput
          label="Phone"
          placeholder="+91 98765 43210"
          required
          ref={invalidIf(!isRecipient(phone) && 'must be a phone number with its country code, such as +91 98765 43210')}
          value={phone}
          onChange={(e) => setPhone(e.currentTarget.value)}
        />
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

/** Whether a text may be a phone number or a business-scoped user id, which has two letters of its country and a dot. */
const isRecipient = (text: string) => phoneUnderstood(text) !== null || /^[A-Z]{2}\./.test(text);
