import { Input, TextInput, type TextInputProps } from '@mantine/core';
import { useMergedRef } from '@mantine/hooks';
import { useRef, type Ref } from 'react';

interface SearchFieldProps extends Omit<TextInputProps, 'label' | 'value' | 'onChange'> {
  /** A field without this visible name has an `aria-label`. */
  label?: string;
  value: string;
  onChange: (text: string) => void;
  ref?: Ref<HTMLInputElement>;
}

/** A field that narrows a list. While it has text, a button clears it. */
export function SearchField({ value, onChange, onKeyDown, rightSection, ref = null, ...props }: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const clear = () => {
    onChange('');
    input.current?.focus();
  };
  return (
    <TextInput
      {...props}
      ref={useMergedRef(input, ref)}
      value={value}
      onChange={(e) => onChange(e.currentTarget.value)}
      // Single keys are shortcuts outside of fields.
      onKeyDown={(e) => {
        onKeyDown?.(e);
        if (e.key === 'Escape' && !e.nativeEvent.isComposing) e.currentTarget.blur();
      }}
      rightSection={
        value === '' ? rightSection : <Input.ClearButton aria-label={`Clear “${props.label ?? props['aria-label']}”`} onClick={clear} />
      }
    />
  );
}
