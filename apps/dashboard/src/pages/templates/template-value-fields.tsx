import { TextInput } from '@mantine/core';
import { Field } from '../../components/field';
import { invalidIf } from '../../components/words-of-fault';
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
        // Not `required`, whose words would continue the label: “{{1}}, such as Asha is missing”.
        withAsterisk={!isOptional}
        aria-required={!isOptional}
        ref={invalidIf(!isOptional && !values[i]?.trim() && `Enter a value for ${label}.`)}
        value={values[i] ?? ''}
        onChange={(e) => onChange(values.map((value, at) => (at === i ? e.currentTarget.value : value)))}
      />
    </Field>
  ));
}
