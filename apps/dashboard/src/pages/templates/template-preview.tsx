import { Button, Stack, Text, TextInput } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { api, notifySuccess, request } from '../../api/client';
import { newIdempotencyKey } from '../../api/idempotency-key';
import { quoted } from '../../components/shell-quote';
import { buttonFields, filledBody, filledHeader, headerFields, labelsOf, type Template } from './template-values';
import { PhoneBubble } from '../../components/phone-bubble';
import { Snippet } from '../../components/snippet';
import { Wallpaper } from '../../components/wallpaper';
import { TemplateValueFields } from './template-value-fields';

/**
 * The template with the person's own values, and the request that sends it.
 * @param phone the recipient; empty for a preview only
 */
export function TemplatePreview({ template, phone: recipient }: { template: Template; phone: string }) {
  const [phone, setPhone] = useState(recipient);
  const [values, setValues] = useState<string[]>(template.variables.map(() => ''));
  const [headers, buttons] = [headerFields(template), buttonFields(template)];
  const [headerValues, setHeaderValues] = useState<string[]>(headers.map(() => ''));
  const [buttonValues, setButtonValues] = useState<string[]>(buttons.map(() => ''));
  const text = filledBody(template, values);
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
  const isFilled = [...values, ...header_params, ...buttonValues].every(Boolean);
  // However often it is retried, the person gets it once.
  const [key, setKey] = useState(newIdempotencyKey);
  const test = useMutation({
    mutationFn: () =>
      request(api.POST('/api/client/messages', { params: { header: { 'Idempotency-Key': key } }, body: { ...body, phone } })),
    onSuccess: () => {
      setKey(newIdempotencyKey());
      notifySuccess(`The ${recipient ? 'message' : 'test'} is on its way: see Messages.`);
    },
  });
  return (
    <Stack>
      <Wallpaper>
        <PhoneBubble header={filledHeader(template, headerValues)} text={text} footer={template.footer_text} buttons={labelsOf(template)} />
      </Wallpaper>
      <TextInput label="Phone" placeholder="+91 98765 43210" value={phone} onChange={(e) => setPhone(e.currentTarget.value)} />
      <TemplateValueFields fields={headers} values={headerValues} onChange={setHeaderValues} />
      <TemplateValueFields
        fields={template.variables.map((name, i) => ({ label: `{{${i + 1}}}${name === String(i + 1) ? '' : ` ${name}`}` }))}
        values={values}
        onChange={setValues}
      />
      <TemplateValueFields fields={buttons} values={buttonValues} onChange={setButtonValues} />
      {template.category !== 'AUTHENTICATION' && (
        <Button leftSection={<IconSend size={16} />} loading={test.isPending} disabled={!phone || !isFilled} onClick={() => test.mutate()}>
          {recipient ? 'Send' : 'Send a test'}
        </Button>
      )}
      <Text size="sm" fw={600}>
        The same request with your API key
      </Text>
      <Snippet text={curl} />
    </Stack>
  );
}
