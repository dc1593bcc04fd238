import { TextInput, type TextInputProps } from '@mantine/core';
import { useZone } from '../api/use-zone';
import { skippedFault } from './local-time';
import { invalidIf } from './words-of-fault';

/** A date. Without a last year, browsers take years of six digits, which no date here has. */
export function DateField(props: TextInputProps) {
  return <TextInput type="date" max="9999-12-31" {...props} />;
}

/** A date and a time in the zone of the page. */
export function DatetimeField({ value, error, ...props }: TextInputProps & { value: string }) {
  const fault = skippedFault(value, useZone());
  return (
    <TextInput
      type="datetime-local"
      max="9999-12-31T23:59"
      {...props}
      value={value}
      error={error ?? fault}
      ref={invalidIf(fault ?? false)}
    />
  );
}
