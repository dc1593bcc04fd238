import { Button, Stack, Text, TextInput } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { useCreateBroadcast } from '../../api/use-create-broadcast';
import { notifySuccess } from '../../api/client';
import { useMayCall } from '../../api/session';
import { quoted } from '../../components/shell-quote';
import { buttonFields, filledHeader, headerFields, labelsOf, type Template } from './template-values';
import { PhoneBubble } from '../../components/phone-bubble';
import { Snippet } from '../../components/snippet';
import { Wallpaper } from '../../components/wallpaper';
import { TemplateValueFields } from './template-value-fields';

/**
 * The template with the person's own values, and the request that sends it. It is sent as a broadcast to one person.
 * @param phone the recipient; empty for a preview only
 */
export function TemplatePreview({ template, phone: recipient }: { template: Template; phone: string }) {
  const [phone, setPhone] = useState(recipient);
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
  const test = useCreateBroadcast(() => notifySuccess(`The ${recipient ? 'message' : 'test'} is on its way: see Messages.`));
  const maySend = useMayCall('POST /api/client/broadcasts');
  const asBroadcast = {
    name: recipient ? `${template.name} to ${phone}` : `Test of ${template.name}`,
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
      <TemplateValueFields fields={headers} values={headerValues} onChange={setHeaderValues} />
      <TemplateValueFields
        fields={template.variables.map((name, i) => ({ label: `{{${i + 1}}}${name === String(i + 1) ? '' : ` ${name}`}` }))}
        values={values}
        onChange={setValues}
      />
      <TemplateValueFields fields={buttons} values={buttonValues} onChange={setButtonValues} />
      {buttons.length > 0 ? (
        <Text size="sm" c="dimmed">
          Broadcasts cannot fill in buttons yet. Send this template with your API key.
        </Text>
      ) : (
        maySend &&
        template.category !== 'AUTHENTICATION' && (
          <Button
            leftSection={<IconSend size={16} />}
            loading={test.isPending}
            disabled={!phone || !isFilled}
            onClick={() => test.mutate(asBroadcast)}
          >
            {recipient ? 'Send' : 'Send a test'}
          </Button>
        )
      )}
      <Text size="sm" fw={600}>
        The same request with your API key
      </Text>
      <Snippet text={curl} />
    </Stack>
  );
}
