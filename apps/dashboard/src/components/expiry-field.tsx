import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';

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
      value={value === null ? '' : localTime(value)}
      onChange={(e) => onChange(e.currentTarget.value === '' ? null : new Date(e.currentTarget.value).toISOString())}
    />
  );
}

/** The form that such an input takes: `YYYY-MM-DDTHH:mm`. */
function localTime(iso: string): string {
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
