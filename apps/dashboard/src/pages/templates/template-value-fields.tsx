import { TextInput } from '@mantine/core';
import { Field } from '../../components/field';
import { type ValueField } from './template-values';

export function TemplateValueFields({
  name,
  fields,
  values,
  onChange,
}: {
  /** The field of the request that takes the values. */
  name: string;
  fields: ValueField[];
  values: string[];
  onChange: (values: string[]) => void;
}) {
  return fields.map(({ label, isOptional }, i) => (
    <Field key={i} name={`${name}.${i}`}>
      <TextInput
        label={label}
        placeholder={isOptional ? 'Optional' : undefined}
        required={!isOptional}
        withAsterisk={false}
        value={values[i] ?? ''}
        onChange={(e) => onChange(values.map((value, at) => (at === i ? e.currentTarget.value : value)))}
      />
    </Field>
  ));
}
