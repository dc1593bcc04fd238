import { TextInput, type TextInputProps } from '@mantine/core';

/** A date and a time. Without a last year, browsers take years of six digits, which no date here has. */
export function DatetimeField(props: TextInputProps) {
  return <TextInput type="datetime-local" max="9999-12-31T23:59" {...props} />;
}
