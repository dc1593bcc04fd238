import { Alert, Button, Card, Group, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useFormChanges } from '../../api/use-form-changes';
import { api, request, notifySuccess, type Schemas } from '../../api/client';
import { useMayCall } from '../../api/session';
import { NumberFacts } from '../../components/number-facts';
import { RelativeTime } from '../../components/relative-time';
import { StateBadge } from '../../components/state-badge';
import { CallbackValues } from './callback-values';

export function ConnectionForm({ connection }: { connection: Schemas['Connection'] }) {
  const queries = useQueryClient();
  const disabled = !useMayCall('PUT /api/client/connection');
  const { phone_number_id, business_account_id } = connection;
  const { draft, set, done } = useFormChanges({ phone_number_id: phone_number_id ?? '', business_account_id: business_account_id ?? '' });
  const [secrets, setSecrets] = useState({ access_token: '', app_secret: '', verify_token: '' });
  const save = useMutation({
    mutationFn: (ids: typeof draft) => {
      const enteredSecrets = Object.fromEntries(Object.entries(secrets).filter(([, value]) => value !== ''));
      return request(api.PUT('/api/client/connection', { body: { ...ids, ...enteredSecrets } }));
    },
    onSuccess: async ({ message }, ids) => {
      notifySuccess(message);
      setSecrets({ access_token: '', app_secret: '', verify_token: '' });
      await queries.invalidateQueries({ queryKey: ['connection'] });
      done(ids);
    },
  });
  const secret = (name: keyof typeof secrets, label: string, description: string) => (
    <PasswordInput
      label={label}
      description={description}
      autoComplete="off"
      disabled={disabled}
      value={secrets[name]}
      onChange={(e) => setSecrets({ ...secrets, [name]: e.currentTarget.value })}
    />
  );
  return (
    <Card withBorder>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h5">
          WhatsApp connection
        </Title>
        <Group gap="xs">
          <StateBadge of={connection.status} />
          <Text size="sm" c="dimmed">
            {connection.checked_at && 'Checked '}
            <RelativeTime at={connection.checked_at} never="Not checked yet" />
          </Text>
        </Group>
      </Group>
      {connection.problem && (
        <Alert color="red" mb="sm">
          {connection.problem}
        </Alert>
      )}
      {connection.checked_at && (
        <Group gap="xl" mb="sm">
          <NumberFacts connection={connection} />
        </Group>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(draft);
        }}
      >
        <Stack>
          <TextInput
            label="Phone number id"
            required
            disabled={disabled}
            value={draft.phone_number_id}
            onChange={(e) => set({ phone_number_id: e.currentTarget.value })}
          />
          <TextInput
            label="Business account id"
            required
            disabled={disabled}
            value={draft.business_account_id}
            onChange={(e) => set({ business_account_id: e.currentTarget.value })}
          />
          {secret('access_token', 'Access token', 'From a system user; never shown again')}
          {secret('app_secret', 'App secret', 'Verifies WhatsApp’s callbacks; never shown again')}
          {secret('verify_token', 'New verify token', 'Any word; the current one is shown below')}
          <Button type="submit" loading={save.isPending} disabled={disabled}>
            Save and check
          </Button>
        </Stack>
      </form>
      <Title order={3} size="h6" mt="lg" mb={4}>
        Values for Meta’s console
      </Title>
      <CallbackValues label="Callback URL" value={connection.callback_url} />
      <CallbackValues label="Verify token" value={connection.verify_token ?? '–'} />
    </Card>
  );
}
