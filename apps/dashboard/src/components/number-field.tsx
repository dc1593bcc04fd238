import { TextInput, type TextInputProps } from '@mantine/core';

type NumberFieldProps = Omit<TextInputProps, 'value' | 'onChange'> & { value: number; onChange: (value: number) => void };

/** A whole number. The browser's own field adds no code. */
export function NumberField({ value, onChange, ...field }: NumberFieldProps) {
  return <TextInput type="number" {...field} value={value} onChange={(event) => onChange(event.currentTarget.valueAsNumber || 0)} />;
}
