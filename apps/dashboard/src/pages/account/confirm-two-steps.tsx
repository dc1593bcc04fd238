import { Button, Image, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { Snippet } from '../../components/snippet';
import { Field } from '../../components/field';
import { Form } from '../../components/form';

interface ConfirmTwoStepsProps {
  secret: Schemas['TotpSecret'];
  onConfirm: (code: string) => void;
  isPending: boolean;
  error: unknown;
}

/** The QR code for the authenticator app, drawn in the browser, and the field for the app's first code. */
export function ConfirmTwoSteps({ secret, onConfirm, isPending, error }: ConfirmTwoStepsProps) {
  const [code, setCode] = useState('');
  const picture = useQuery({
    queryKey: ['qr-code', secret.otpauth_url],
    queryFn: async () => (await import('qrcode')).toDataURL(secret.otpauth_url, { margin: 2, width: 220 }),
    gcTime: 0,
  });
  return (
    <Form gap="xs" onSubmit={() => onConfirm(code)} error={error}>
      <Text size="sm">Scan this with your authenticator app, or type the secret into it.</Text>
      {picture.data && <Image src={picture.data} w={220} alt="QR code with the secret below" />}
      <Snippet text={secret.secret} label="Copy the secret" />
      <Field name="code">
        <TextInput
          label="Code of the app"
          autoComplete="one-time-code"
          inputMode="numeric"
          required
          value={code}
          onChange={(e) => setCode(e.currentTarget.value)}
        />
      </Field>
      <Button type="submit" loading={isPending}>
        Turn on
      </Button>
    </Form>
  );
}
