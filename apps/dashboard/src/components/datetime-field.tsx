import { TextInput, type TextInputProps } from '@mantine/core';

/** A date. Without a last year, browsers take years of six digits, which no date here has. */
export function DateField(props: TextInputProps) {
  return <TextInput type="date" max="9999-12-31" {...props} />;
}

/** A date and a time. */
export function DatetimeField(props: TextInputProps) {
  return <TextInput type="datetime-local" max="9999-12-31T23:59" {...props} />;
}
