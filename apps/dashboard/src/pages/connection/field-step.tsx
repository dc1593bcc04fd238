import { Button, Stack, TextInput } from '@mantine/core';
import type { Schemas } from '../../api/client';
import { Field } from '../../components/field';
import { Form } from '../../components/form';
import { invalidIf } from '../../components/words-of-fault';
import type { ConnectionDraft } from './draft';
import type { FieldStep as Step } from './steps';
import { WhereToFind } from './where-to-find';
import { PasswordField } from '../../components/password-field';

const ID = /^[0-9]{1,32}$/;

/** One step with values of Meta's console: the way to them, and their fields. */
export function FieldStep({
  step: { where, fields },
  connection,
  draft,
  change,
  saving,
  error,
  onNext,
}: {
  step: Step;
  connection: Schemas['Connection'];
  draft: ConnectionDraft;
  change: (change: ConnectionDraft) => void;
  saving: boolean;
  error: unknown;
  onNext: () => void;
}) {
  const isSaved = connection.status !== 'not_connected';
  const valueOf = (name: keyof ConnectionDraft) =>
    draft[name] ?? (name === 'phone_number_id' || name === 'business_account_id' ? (connection[name] ?? '') : '');
  const faultOf = ({ name, label, isSecret }: Step['fields'][number]) => {
    const value = valueOf(name);
    if (isSecret) return value.trim() === '' && !isSaved && `Enter the ${label.toLowerCase()}.`;
    return !ID.test(value) && `${label}: 1 to 32 digits, as Meta shows them.`;
  };
  return (
    <Form onSubmit={onNext} error={error}>
      <WhereToFind steps={where} />
      <Stack maw={520}>
        {fields.map((field) => {
          const Input = field.isSecret ? PasswordField : TextInput;
          return (
            <Field key={field.name} name={field.name}>
              <Input
                ref={invalidIf(faultOf(field))}
                label={field.label}
                description={field.isSecret && isSaved ? 'Saved, and never shown again. Enter a new one to replace it.' : field.about}
                autoComplete="off"
                value={valueOf(field.name)}
                onChange={(e) => change({ [field.name]: e.currentTarget.value.trim() })}
              />
            </Field>
          );
        })}
      </Stack>
      <Button type="submit" loading={saving} style={{ alignSelf: 'flex-start' }}>
        Continue
      </Button>
    </Form>
  );
}
