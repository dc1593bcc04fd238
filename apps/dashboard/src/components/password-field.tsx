import { PasswordInput, type PasswordInputProps } from '@mantine/core';

/** Mantine's input, marked for screen readers while it has an error, as Mantine marks its other inputs. */
export function PasswordField(props: PasswordInputProps) {
  return <PasswordInput {...props} {...(props.error && { 'aria-invalid': true })} />;
}
