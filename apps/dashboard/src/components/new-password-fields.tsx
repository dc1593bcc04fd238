import { PasswordInput } from '@mantine/core';

const MIN = 8;

export interface NewPassword {
  password: string;
  repeated: string;
}

export const NO_PASSWORD: NewPassword = { password: '', repeated: '' };

/** Whether the server would accept the password. */
export const isComplete = ({ password, repeated }: NewPassword): boolean => password.length >= MIN && password === repeated;

/** A new password, typed twice. */
export function NewPasswordFields({ value, onChange }: { value: NewPassword; onChange: (value: NewPassword) => void }) {
  const { password, repeated } = value;
  return (
    <>
      <PasswordInput
        label="New password"
        description={`At least ${MIN} characters`}
        autoComplete="new-password"
        required
        minLength={MIN}
        maxLength={256}
        value={password}
        onChange={(e) => onChange({ ...value, password: e.currentTarget.value })}
      />
      <PasswordInput
        label="Repeat the new password"
        autoComplete="new-password"
        required
        value={repeated}
        error={repeated !== '' && !password.startsWith(repeated) && 'The passwords differ.'}
        onChange={(e) => onChange({ ...value, repeated: e.currentTarget.value })}
      />
    </>
  );
}
