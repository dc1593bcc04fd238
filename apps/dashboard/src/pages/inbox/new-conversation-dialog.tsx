import { Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, request } from '../../api/client';
import { Field } from '../../components/field';
import { TemplateMessage } from './template-message';

/** Writes to any number. @param onSent receives the digits of the number */
export function NewConversationDialog({
  opened,
  onClose,
  onSent,
}: {
  opened: boolean;
  onClose: () => void;
  onSent: (phone: string) => void;
}) {
  const [phone, setPhone] = useState('');
  return (
    <Modal opened={opened} onClose={onClose} title="New conversation" size="lg">
      <Stack>
        <Text size="sm">A conversation begins with an approved template. You can write freely when the customer has replied.</Text>
        <TemplateMessage
          send={(content, key) =>
            request(api.POST('/api/client/messages', { params: { header: { 'Idempotency-Key': key } }, body: { ...content, phone } }))
          }
          onSent={(result) => {
            setPhone('');
            onClose();
            onSent(result.phone);
          }}
        >
          <Field name="phone">
            <TextInput
              label="Phone"
              placeholder="+1 201 555 0100"
              type="tel"
              required
              value={phone}
              onChange={(e) => setPhone(e.currentTarget.value)}
            />
          </Field>
        </TemplateMessage>
      </Stack>
    </Modal>
  );
}
