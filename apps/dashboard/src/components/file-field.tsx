import { FileInput, type FileInputProps } from '@mantine/core';
import { useRef } from 'react';

interface FileFieldProps extends Omit<FileInputProps, 'label' | 'placeholder' | 'resetRef' | 'value' | 'onChange'> {
  label: string;
  value: File | null;
  /** The name of a file that was chosen before, of which the page has no `File`. */
  filename?: string | undefined;
  onChange: (file: File | null) => void;
}

/** A field for one file. Its accessible name ends with the name of the chosen file: by itself a label hides the text of its button. */
export function FileField({ label, value, filename = value?.name, onChange, ...props }: FileFieldProps) {
  const clearChoice = useRef<() => void>(null);
  return (
    <FileInput
      {...props}
      label={label}
      aria-label={filename && `${label}: ${filename}`}
      placeholder={filename || 'Choose a file'}
      value={value}
      resetRef={clearChoice}
      onChange={(file) => {
        onChange(file);
        // The same file may be chosen again.
        clearChoice.current?.();
      }}
    />
  );
}
