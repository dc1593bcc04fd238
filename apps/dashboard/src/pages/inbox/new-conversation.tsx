import { Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, request } from '../../api/client';
import { phoneUnderstood } from '../../components/phone-shown';
import { Field } from '../../components/field';
import { useUnsaved } from '../../components/use-unsaved';
import { TemplateMessage } from './template-message';

interface NewConversationProps {
  onClose: () => void;
  /** Receives the digits of the number, even after the form is gone. */
  onSent: (phone: string, isFormOpen: boolean) => void;
}

/** Sends a template to any number. */
export function NewConversation({ onClose, onSent }: NewConversationProps) {
  const [phone, setPhone] = useState('');
  // The form begins again with each template, and the number stays.
  useUnsaved(() => phone !== '');
  const understood = phoneUnderstood(phone);
  return (
    <Stack>
      <Text size="sm">A conversation begins with an approved template. You can write freely when the customer has replied.</Text>
      <TemplateMessage
        send={(content, keyOf) => {
          const body = { ...content, phone };
          return request(api.POST('/api/client/messages', { params: { header: { 'Idempotency-Key': keyOf(body) } }, body }));
        }}
        onClose={onClose}
        onSent={({ phone: digits }, isFormOpen) => onSent(digits, isFormOpen)}
      >
        <Field name="phone">
          <TextInput
            label="Phone"
            description={understood === null ? 'With + and the country code' : `Goes to ${understood}`}
            placeholder="+1 201 555 0100"
            type="tel"
            required
            value={phone}
            onChange={(e) => setPhone(e.currentTarget.value)}
          />
        </Field>
      </TemplateMessage>
    </Stack>
  );
}
