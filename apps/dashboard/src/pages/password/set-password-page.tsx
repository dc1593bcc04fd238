import { Alert, Anchor, Button, Center, Paper, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ApiError, request } from '../../api/client';
import { NewPasswordFields, NO_PASSWORD } from '../../components/new-password-fields';
import { useTitle } from '../../components/use-title';
import { Form } from '../../components/form';
import { Dimmed } from '../../components/dimmed';

/** Sets a password with the token of an invitation or a reset, which is in the fragment so that no server log has it. */
export function SetPasswordPage() {
  useTitle('Set your password');
  const [token] = useState(() => new URLSearchParams(window.location.hash.slice(1)).get('token') ?? '');
  const [value, setValue] = useState(NO_PASSWORD);
  const set = useMutation({
    mutationFn: () => request(api.POST('/api/client/password', { body: { token, new_password: value.password } })),
    // The browser's history must not keep the token.
    onSuccess: () => window.history.replaceState(null, '', window.location.pathname),
    onError: () => undefined,
  });
  const isLinkRefused = set.error instanceof ApiError && set.error.details.some(({ field }) => field === 'token');
  const problem = isLinkRefused ? 'This link was used or has expired. Ask for a new one.' : set.error && textOf(set.error);
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder shadow="sm" p="xl" radius="lg" w={400} maw="100%">
        <Form onSubmit={() => set.mutate()}>
          <img src="/icon.svg" width={40} height={40} alt="" />
          <div>
            <Title order={1} size="h3">
              Set your password
            </Title>
            <Dimmed>You log in with your email address and this password.</Dimmed>
          </div>
          {token === '' && !set.isSuccess && (
            <Alert color="red" role="alert">
              This link is incomplete. Open it exactly as you received it.
            </Alert>
          )}
          {problem && (
            <Alert color="red" role="alert">
              {problem}
            </Alert>
          )}
          {set.isSuccess ? (
            <Alert color="green" role="status">
              {set.data.message} <Anchor href="/login">Log in</Anchor>
            </Alert>
          ) : (
            <>
              <NewPasswordFields value={value} onChange={setValue} />
              <Button type="submit" loading={set.isPending} disabled={token === ''} fullWidth>
                Set password
              </Button>
            </>
          )}
        </Form>
      </Paper>
    </Center>
  );
}

const textOf = (error: Error): string => (error instanceof ApiError ? error.message : 'The server did not respond. Try again in a moment.');
