import { useState } from 'react';
import { TextInput, type TextInputProps } from '@mantine/core';

type NumberFieldProps = Omit<TextInputProps, 'value' | 'onChange'> & { value: number; onChange: (value: number) => void };

/** A whole number. The browser's own field adds no code. An emptied field keeps its last number until a person types another one. */
export function NumberField({ value, onChange, ...field }: NumberFieldProps) {
  /** The number that the person removed. Another one may come from the form. */
  const [removed, setRemoved] = useState<number | null>(null);
  return (
    <TextInput
      type="number"
      required
      withAsterisk={false}
      {...field}
      value={value === removed ? '' : value}
      onChange={({ currentTarget: { valueAsNumber } }) => {
        const isNumber = !Number.isNaN(valueAsNumber);
        setRemoved(isNumber ? null : value);
        if (isNumber) onChange(valueAsNumber);
      }}
    />
  );
}
