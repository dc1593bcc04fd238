import { TextInput } from '@mantine/core';
import { type ValueField } from './template-values';

export function TemplateValueFields({
  fields,
  values,
  onChange,
}: {
  fields: ValueField[];
  values: string[];
  onChange: (values: string[]) => void;
}) {
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
