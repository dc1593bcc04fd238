import { Field } from './field';
import { invalidIf } from './words-of-fault';
import { PasswordField } from './password-field';

const MIN = 8;

interface NewPassword {
  password: string;
  repeated: string;
}

export const NO_PASSWORD: NewPassword = { password: '', repeated: '' };

/** A new password, typed twice. */
export function NewPasswordFields({ value, onChange }: { value: NewPassword; onChange: (value: NewPassword) => void }) {
  const { password, repeated } = value;
  return (
    <>
      <Field name="new_password">
        <PasswordField
          label="New password"
          visibilityToggleButtonProps={{ 'aria-label': 'Show the new password' }}
          description={`At least ${MIN} characters`}
          autoComplete="new-password"
          required
          minLength={MIN}
          maxLength={256}
          value={password}
          onChange={(e) => onChange({ ...value, password: e.currentTarget.value })}
        />
      </Field>
      <Field name="repeated">
        <PasswordField
          ref={invalidIf(password !== repeated && 'The passwords differ.')}
          label="Repeat the new password"
          visibilityToggleButtonProps={{ 'aria-label': 'Show the repeated password' }}
          autoComplete="new-password"
          required
          value={repeated}
          error={repeated !== '' && !password.startsWith(repeated) && 'The passwords differ.'}
          onChange={(e) => onChange({ ...value, repeated: e.currentTarget.value })}
        />
      </Field>
    </>
  );
}
