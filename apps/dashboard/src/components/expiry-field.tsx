import { useState, type ReactNode } from 'react';
import { useZone } from '../api/use-zone';
import { DatetimeField } from './datetime-field';
import { isoOf, localTime, skippedFault } from './local-time';

interface ExpiryFieldProps {
  label: string;
  description: string;
  /** An ISO time; null for none. */
  value: string | null;
  error?: ReactNode;
  onChange: (value: string | null) => void;
}

/** A date and a time in the zone of the page. */
export function ExpiryField({ label, description, value, error, onChange }: ExpiryFieldProps) {
  const zone = useZone();
  /** The text of the field while it is a time that clocks skip: it has no instant, so the form gets no value. */
  const [skipped, setSkipped] = useState<string | null>(null);
  return (
    <DatetimeField
      label={`${label}, ${zone} time`}
      description={description}
      error={error}
      value={skipped ?? (value === null ? '' : localTime(Date.parse(value), zone))}
      onChange={({ currentTarget: { value: typed } }) => {
        setSkipped(skippedFault(typed, zone) === null ? null : typed);
        const expiry = isoOf(typed, zone);
        if (expiry !== null || typed === '') onChange(expiry);
      }}
    />
  );
}
