import type { ReactNode } from 'react';
import { DatetimeField } from './datetime-field';
import { isoOf, localDatetime } from './local-datetime';

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
    <DatetimeField
      label={label}
      description={description}
      error={error}
      value={value === null ? '' : localDatetime(value)}
      onChange={({ currentTarget: { value: typed } }) => {
        const expiry = isoOf(typed);
        if (expiry !== null || typed === '') onChange(expiry);
      }}
    />
  );
}
