import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { localDatetime } from './local-datetime';

interface ExpiryFieldProps {
  label: string;
  description: string;
  /** An ISO time; null for none. */
  value: string | null;
  error?: ReactNode;
  onChange: (value: string | null) => void;
}

/** A date and a time in the browser's time zone. */
export function ExpiryField({ label, description, value, error, onChange }: ExpiryFieldProps) {
  return (
    <TextInput
      type="datetime-local"
      label={label}
      description={description}
      error={error}
      value={value === null ? '' : localDatetime(value)}
      onChange={(e) => onChange(e.currentTarget.value === '' ? null : new Date(e.currentTarget.value).toISOString())}
    />
  );
}
