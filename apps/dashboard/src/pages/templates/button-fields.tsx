import { Button, Paper, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { Field } from '../../components/field';
import type { ButtonType, FormButton } from './template-form';

const TYPES: { value: ButtonType; label: string }[] = [
  { value: 'quick_reply', label: 'Quick reply' },
  { value: 'url', label: 'Link' },
  { value: 'phone', label: 'Phone call' },
  { value: 'copy_code', label: 'Copy a coupon code' },
];

/** One button of a template. @param isNew whether the person has just added it, so that its first field takes the focus */
export function ButtonFields({
  nth,
  isNew,
  button,
  onChange,
  onRemove,
}: {
  nth: number;
  isNew: boolean;
  button: FormButton;
  onChange: (change: Partial<FormButton>) => void;
  onRemove: () => void;
}) {
  const { type, text, url, phone, example } = button;
  const field = `buttons.${nth - 1}`;
  return (
    <Paper withBorder p="sm" role="group" aria-label={`Button ${nth}`}>
      <Stack gap="xs">
        <SimpleGrid cols={{ base: 1, xs: 2 }} style={{ alignItems: 'start' }}>
          <Select
            label={`Button ${nth}`}
            autoFocus={isNew}
            allowDeselect={false}
            data={TYPES}
            value={type}
            onChange={(value) => onChange({ type: value as ButtonType, ...(value === 'copy_code' && { text: 'Copy code' }) })}
          />
          <Field name={`${field}.text`}>
            <TextInput
              label="Label"
              required
              maxLength={25}
              disabled={type === 'copy_code'}
              value={text}
              onChange={(e) => onChange({ text: e.currentTarget.value })}
            />
          </Field>
        </SimpleGrid>
        {type === 'url' && (
          <Field name={`${field}.url`}>
            <TextInput
              label="Address"
              description="{{1}} at its end is filled in for each person."
              placeholder="https://example.com/track/{{1}}"
              required
              value={url}
              onChange={(e) => onChange({ url: e.currentTarget.value })}
            />
          </Field>
        )}
        {type === 'phone' && (
          <Field name={`${field}.phone`}>
            <TextInput
              label="Phone number"
              placeholder="+91 98765 43210"
              required
              maxLength={20}
              value={phone}
              onChange={(e) => onChange({ phone: e.currentTarget.value })}
            />
          </Field>
        )}
        {(type === 'copy_code' || (type === 'url' && url.includes('{{'))) && (
          <Field name={`${field}.example`}>
            <TextInput
              label={type === 'url' ? `Example for {{1}} in button ${nth}` : `Example code of button ${nth}`}
              description={type === 'url' ? 'The whole address with a sample value' : undefined}
              required
              value={example}
              onChange={(e) => onChange({ example: e.currentTarget.value })}
            />
          </Field>
        )}
        <Button variant="subtle" color="red" size="xs" style={{ alignSelf: 'flex-end' }} onClick={onRemove}>
          {`Remove button ${nth}`}
        </Button>
      </Stack>
    </Paper>
  );
}
