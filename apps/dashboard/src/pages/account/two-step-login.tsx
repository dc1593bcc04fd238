import { Alert, Button, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, request, shownByForm } from '../../api/client';
import { counted, isOrAre } from '../../components/format-number';
import { QueryResult } from '../../components/query-result';
import { Snippet } from '../../components/snippet';
import { ConfirmTwoSteps } from './confirm-two-steps';
import { TitledCard } from '../../components/titled-card';
import { useState } from 'react';
import { Field } from '../../components/field';
import { Form } from '../../components/form';
import { useChange } from '../../api/use-change';
import { PasswordField } from '../../components/password-field';

function EndTwoSteps() {
  const [password, setPassword] = useState('');
  const end = useChange(() => request(api.DELETE('/api/client/me/totp', { body: { password } })), undefined, shownByForm);
  return (
    <Form gap="xs" onSubmit={() => end.mutate()} error={end.error}>
      <Field name="password">
        <PasswordField
          label="Your password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(e) => setPassword(e.currentTarget.value)}
        />
      </Field>
      <Button type="submit" variant="default" loading={end.isPending}>
        Turn off
      </Button>
    </Form>
  );
}

export function TwoStepLogin() {
  const queries = useQueryClient();
  const state = useQuery({ queryKey: ['totp'], queryFn: () => request(api.GET('/api/client/me/totp')) });
  const begin = useMutation({
    mutationFn: () => request(api.POST('/api/client/me/totp')),
  });
  const confirm = useMutation({
    mutationFn: (code: string) => request(api.PUT('/api/client/me/totp', { body: { code } })),
    onError: shownByForm,
    onSuccess: () => {
      begin.reset();
      void queries.invalidateQueries();
    },
  });
  return (
    <TitledCard title="Two-step login">
      <QueryResult query={state} rows={2}>
        {({ enabled, required, recovery_codes_left }) => (
          <Stack gap="xs">
            {required && !enabled && <Alert color="yellow" title="Set it up to go on: everybody here needs it." />}
            {confirm.data && (
              <Alert role="alert" color="yellow" title={confirm.data.message}>
                <Snippet text={confirm.data.recovery_codes.join('\n')} label="Copy the recovery codes" />
              </Alert>
            )}
            {enabled && (
              <>
                <Text size="sm">
                  On. {counted(recovery_codes_left, 'recovery code')} {isOrAre(recovery_codes_left)} left.
                </Text>
                <EndTwoSteps />
              </>
            )}
            {!enabled && begin.data && (
              <ConfirmTwoSteps secret={begin.data} onConfirm={confirm.mutate} isPending={confirm.isPending} error={confirm.error} />
            )}
            {!enabled && !begin.data && (
              <>
                <Text size="sm">Besides your password, a login then needs a code of an authenticator app on your phone.</Text>
                <Button loading={begin.isPending} onClick={() => begin.mutate()}>
                  Set up two-step login
                </Button>
              </>
            )}
          </Stack>
        )}
      </QueryResult>
    </TitledCard>
  );
}
