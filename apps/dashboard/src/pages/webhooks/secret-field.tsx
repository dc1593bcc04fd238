import { Alert, Button, Checkbox, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Field } from '../../components/field';
import { Snippet } from '../../components/snippet';
import { newSecret, standardSecret } from './signing-secret';

interface SecretFieldProps {
  /** Whether the webhook has a secret now. */
  hasSecret: boolean;
  /** A new secret, or empty. */
  secret: string;
  setSecret: (secret: string) => void;
  keepOldMinutes: number;
  setKeepOldMinutes: (minutes: number) => void;
  drop: boolean;
  setDrop: (drop: boolean) => void;
}

const KEEP_OLD = [
  { value: '0', label: 'Not at all, because others may know it' },
  { value: '15', label: '15 minutes' },
  { value: '60', label: '1 hour' },
  { value: '1440', label: '24 hours' },
];

export function SecretField({ hasSecret, secret, setSecret, keepOldMinutes, setKeepOldMinutes, drop, setDrop }: SecretFieldProps) {
  const [generated, setGenerated] = useState('');
  const generate = () => {
    const made = newSecret();
    setGenerated(made);
    setSecret(made);
  };
  const isUnsigned = drop || (!hasSecret && secret === '');
  return (
    <Stack gap="xs">
      <Group align="flex-end" wrap="nowrap">
        <Field name="secret">
          <TextInput
            label="Signing secret"
            description={hasSecret ? 'Set. It is never shown; enter a new one to replace it.' : 'It signs every delivery.'}
            value={secret}
            disabled={drop}
            maxLength={256}
            onChange={(e) => setSecret(e.currentTarget.value)}
            style={{ flex: 1 }}
          />
        </Field>
        <Button variant="default" disabled={drop} onClick={generate}>
          Generate
        </Button>
      </Group>
      {secret !== '' && !drop && (
        <>
          {secret === generated && (
            <>
              <Text size="sm" fw={600}>
                Copy the secret now. It is never shown again.
              </Text>
              <Snippet text={secret} label="Copy the secret" />
            </>
          )}
          <Text size="sm">Standard Webhooks libraries want it as base64:</Text>
          <Snippet text={standardSecret(secret)} label="Copy the secret as base64" />
          {hasSecret && (
            <Select
              label="Keep the old secret"
              description="Meanwhile webhook-signature carries a signature of each secret, and X-Service-Signature that of the new one."
              allowDeselect={false}
              data={KEEP_OLD}
              value={String(keepOldMinutes)}
              onChange={(minutes) => setKeepOldMinutes(Number(minutes))}
            />
          )}
        </>
      )}
      {hasSecret && <Checkbox label="Remove the secret" checked={drop} onChange={(e) => setDrop(e.currentTarget.checked)} />}
      {isUnsigned && (
        <Alert color="yellow" title="Deliveries are not signed">
          Anyone who knows the address can send your server invented events. Generate a secret and check the signature.
        </Alert>
      )}
    </Stack>
  );
}
