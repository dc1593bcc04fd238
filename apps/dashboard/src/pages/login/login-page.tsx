import { Alert, Button, Center, Paper, PasswordInput, Stack, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState, type PropsWithChildren } from 'react';
import { api, ApiError, request, type Account } from '../../api/client';
import { useTitle } from '../../components/use-title';
import { Field } from '../../components/field';
import { Form } from '../../components/form';
import { Dimmed } from '../../components/dimmed';
import { AccountPicker } from './account-picker';

/** Why a login with the organization's provider failed, and what to do. The gateway names the reason in the URL. */
const PROBLEMS: Record<string, string> = {
  expired: 'The login with your organization took too long. Try again.',
  refused: 'Your organization’s login did not confirm who you are. Try again.',
  unverified: 'Your organization has not verified your email address. Ask its administrator.',
  unknown: 'Nobody here has the email address of your organization’s login. Ask an owner of your business to invite you.',
  limited: 'Too many wrong logins. Wait before you try again.',
  off: 'This gateway offers no login with an organization. Use your password.',
};

const providerProblem = (problem: string): string =>
  PROBLEMS[problem] ?? 'Your organization’s login did not respond. Try again in a moment, or use your password.';

const route = getRouteApi('/login');

export function LoginPage() {
  useTitle('Log in');
  const { next, problem, choose: mustChoose = false } = route.useSearch();
  const options = useQuery({ queryKey: ['login-options'], queryFn: () => request(api.GET('/api/client/login/options')) });
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [needsCode, setNeedsCode] = useState(false);
  const [accounts, setAccounts] = useState<Account[]>([]);
  const [account, setAccount] = useState<number>();
  const onSuccess = () => window.location.assign(ownPage(next));
  const onError = (failure: Error) => {
    setNeedsCode(isCodeMissing(failure) || needsCode);
    if (failure instanceof ApiError) setAccounts(failure.accounts);
  };
  const login = useMutation({
    mutationFn: (user_id: number | undefined) =>
      request(api.POST('/api/client/login', { body: { email, password, ...(user_id && { user_id }), ...(code && { code }) } })),
    onSuccess,
    onError,
  });
  const chosen = useMutation({
    mutationFn: (user_id: number | null) => request(api.POST('/api/client/oidc/login', { body: { user_id } })),
    onSuccess,
    onError,
  });
  const { mutate: choose } = chosen;
  useEffect(() => {
    if (mustChoose) choose(null);
  }, [mustChoose, choose]);
  const forgotten = useMutation({
    mutationFn: () => request(api.POST('/api/client/password/forgotten', { body: { email } })),
    onError: () => undefined,
  });
  const failure = login.error ?? chosen.error;
  const error = failure !== null && !isQuestion(failure) ? failure : forgotten.error;
  if (accounts.length > 0)
    return (
      <LoginFrame>
        <AccountPicker
          accounts={accounts}
          isPending={login.isPending || chosen.isPending}
          onBack={() => setAccounts([])}
          onChoose={(id) => {
            setAccount(id);
            if (mustChoose) choose(id);
            else login.mutate(id);
          }}
        />
      </LoginFrame>
    );
  return (
    <LoginFrame>
      <Form
        onSubmit={() => {
          forgotten.reset();
          chosen.reset();
          login.mutate(account);
        }}
      >
        <div>
          <Title order={1} size="h3">
            Log in
          </Title>
          <Dimmed>Your business’s messages, keys and webhooks.</Dimmed>
        </div>
        {problem !== undefined && !error && (
          <Alert color="red" role="alert">
            {providerProblem(problem)}
          </Alert>
        )}
        {error && (
          <Alert color="red" role="alert">
            {error instanceof ApiError ? error.message : 'The server did not respond. Try again in a moment.'}
          </Alert>
        )}
        {forgotten.data && <Alert role="status">{forgotten.data.message}</Alert>}
        <Field name="email">
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            required
            value={email}
            onChange={(e) => setEmail(e.currentTarget.value)}
          />
        </Field>
        <Field name="password">
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(e) => setPassword(e.currentTarget.value)}
          />
        </Field>
        {needsCode && (
          <Field name="code">
            <TextInput
              label="Code"
              description="The code of your authenticator app, or a recovery code."
              autoComplete="one-time-code"
              autoFocus
              required
              value={code}
              onChange={(e) => setCode(e.currentTarget.value)}
            />
          </Field>
        )}
        <Button type="submit" loading={login.isPending} fullWidth>
          Log in
        </Button>
        {options.data?.oidc && (
          <Button component="a" variant="default" href={`/api/client/oidc?next=${encodeURIComponent(next ?? '/')}`}>
            Log in with your organization
          </Button>
        )}
        <Button
          variant="subtle"
          disabled={email === ''}
          loading={forgotten.isPending}
          onClick={() => {
            login.reset();
            forgotten.mutate();
          }}
        >
          I forgot my password
        </Button>
      </Form>
    </LoginFrame>
  );
}

function LoginFrame({ children }: PropsWithChildren) {
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder shadow="sm" p="xl" radius="lg" w={400} maw="100%">
        <Stack>
          <img src="/icon.svg" width={40} height={40} alt="" />
          {children}
        </Stack>
      </Paper>
    </Center>
  );
}

const isCodeMissing = (error: unknown): boolean => error instanceof ApiError && error.code === 'TOTP_REQUIRED';
/** Whether the login goes on with another question, so that there is nothing to explain. */
const isQuestion = (error: unknown): boolean => isCodeMissing(error) || (error instanceof ApiError && error.code === 'ACCOUNT_REQUIRED');

/** The page to return to, as a full URL of this origin: `//elsewhere` would be another host. */
function ownPage(next = '/'): string {
  const { origin } = window.location;
  const url = URL.canParse(next, origin) ? new URL(next, origin) : null;
  return url?.origin === origin && url.pathname !== '/login' ? url.href : origin;
}
