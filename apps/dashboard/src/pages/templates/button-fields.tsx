import { Button, Group, Paper, Select, Stack, TextInput } from '@mantine/core';
import type { ButtonType, FormButton } from './template-form';

const TYPES: { value: ButtonType; label: string }[] = [
  { value: 'quick_reply', label: 'Quick reply' },
  { value: 'url', label: 'Link' },
  { value: 'phone', label: 'Phone call' },
  { value: 'copy_code', label: 'Copy a coupon code' },
];

/** One button of a template. */
export function ButtonFields({
  nth,
  button,
  errorOf,
  onChange,
  onRemove,
}: {
  nth: number;
  button: FormButton;
  errorOf: (name: string) => string | null;
  onChange: (change: Partial<FormButton>) => void;
  onRemove: () => void;
}) {
  const { type, text, url, phone, example } = button;
  return (
    <Paper withBorder p="sm">
      <Stack gap="xs">
        <Group grow align="flex-start">
          <Select
            label={`Button ${nth}`}
            allowDeselect={false}
            data={TYPES}
            value={type}
            onChange={(value) => onChange({ type: value as ButtonType, ...(value === 'copy_code' && { text: 'Copy code' }) })}
          />
          <TextInput
            label="Label"
            maxLength={25}
            disabled={type === 'copy_code'}
            value={text}
            error={errorOf('text')}
            onChange={(e) => onChange({ text: e.currentTarget.value })}
          />
        </Group>
        {type === 'url' && (
          <TextInput
            label="Address"
            description="{{1}} at its end is filled in for each person."
            placeholder="https://example.com/track/{{1}}"
            value={url}
            error={errorOf('url')}
            onChange={(e) => onChange({ url: e.currentTarget.value })}
          />
        )}
        {type === 'phone' && (
          <TextInput
            label="Phone number"
            placeholder="+91 98765 43210"
            maxLength={20}
            value={phone}
            error={errorOf('phone')}
            onChange={(e) => onChange({ phone: e.currentTarget.value })}
          />
        )}
        {(type === 'copy_code' || (type === 'url' && url.includes('{{'))) && (
          <TextInput
            label={type === 'url' ? 'Example of the whole address' : 'Example code'}
            value={example}
            error={errorOf('example')}
            onChange={(e) => onChange({ example: e.currentTarget.value })}
          />
        )}
        <Button variant="subtle" color="red" size="xs" style={{ alignSelf: 'flex-end' }} onClick={onRemove}>
          {`Remove button ${nth}`}
        </Button>
      </Stack>
    </Paper>
  );
}
