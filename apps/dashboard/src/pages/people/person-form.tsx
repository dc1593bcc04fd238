import { Button, Group, Text, TextInput } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { api, request, shownByForm } from '../../api/client';
import { DownloadButton } from '../../components/download-button';
import { Field } from '../../components/field';
import { Form } from '../../components/form';
import { ConfirmButton } from '../../components/confirm-button';
import { TitledCard } from '../../components/titled-card';
import { useChange } from '../../api/use-change';

export function PersonForm() {
  const [phone, setPhone] = useState('');
  const [reason, setReason] = useState('');
  const erase = useChange(
    () => request(api.DELETE('/api/client/people/{phone}', { params: { path: { phone } }, body: { reason } })),
    undefined,
    shownByForm,
  );
  const isEmpty = phone.trim() === '';
  return (
    <TitledCard title="Person">
      <Form gap={0} onSubmit={() => undefined} error={erase.error}>
        <Group align="flex-end" mb="sm">
          <Field name="phone">
            <TextInput
              label="Phone number with country code"
              placeholder="+91 98765 43210"
              value={phone}
              onChange={(e) => setPhone(e.currentTarget.value)}
            />
          </Field>
          {isEmpty ? (
            <Button variant="default" leftSection={<IconDownload size={16} />} disabled>
              Export as JSON lines
            </Button>
          ) : (
            <DownloadButton
              variant="default"
              leftSection={<IconDownload size={16} />}
              href={`/api/client/people/${encodeURIComponent(phone)}/export`}
            >
              Export as JSON lines
            </DownloadButton>
          )}
        </Group>
        <Text size="sm" c="dimmed" mb="sm">
          Erasing deletes messages, names, replies and webhook deliveries of this person. Counts stay, and an opt-out stays as a hash: the
          person still gets no messages.
        </Text>
        <Group align="flex-end">
          <Field name="reason">
            <TextInput
              label="Reason, kept in the list of erasures"
              placeholder="Requested by e-mail on 5 January"
              maxLength={500}
              w={{ base: '100%', sm: 340 }}
              value={reason}
              onChange={(e) => setReason(e.currentTarget.value)}
            />
          </Field>
          <ConfirmButton
            color="red"
            variant="light"
            disabled={isEmpty || reason.trim() === ''}
            loading={erase.isPending}
            question={`Erase everything about ${phone}?`}
            consequence="This cannot be undone. Export the data first if the person wants it."
            onConfirm={() =>
              erase.mutate(undefined, {
                onSuccess: () => {
                  setPhone('');
                  setReason('');
                },
              })
            }
          >
            Erase
          </ConfirmButton>
        </Group>
      </Form>
    </TitledCard>
  );
}
