import { Alert, Button, Center, Paper, PasswordInput, Stack, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef, useState, type PropsWithChildren } from 'react';
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

/** The account of this browser's last login, by its id only. */
const LAST_ACCOUNT = 'login.account';

const route = getRouteApi('/login');

export function LoginPage() {
  useTitle('Log in');
  const { next, problem, choose = false } = route.useSearch();
  const navigate = route.useNavigate();
  const options = useQuery({ queryKey: ['login-options'], queryFn: () => request(api.GET('/api/client/login/options')) });
  const [credentials, setCredentials] = useState({ email: '', password: '' });
  /** Whether a link was requested without an email. */
  const [isEmailMissing, setEmailMissing] = useState(false);
  const emailInput = useRef<HTMLInputElement>(null);
  const [code, setCode] = useState<string>();
  const [question, setQuestion] = useState<{ by: LoginBy; accounts: Account[] }>();
  /** The chosen account of this email and password. */
  const [account, setAccount] = useState<number>();
  const { email, password } = credentials;
  const login = useMutation({
    mutationFn: ({ by, user_id }: { by: LoginBy; user_id?: number | undefined }) => {
      const chosen = user_id === undefined ? {} : { user_id };
      if (by === 'provider') return request(api.POST('/api/client/oidc/login', { body: chosen }));
      return request(api.POST('/api/client/login', { body: { ...credentials, ...chosen, ...(code && { code }) } }));
    },
    onSuccess: ({ user }) => {
      localStorage.setItem(LAST_ACCOUNT, String(user.id));
      window.location.assign(ownPage(next));
    },
    onError: (failure, { by }) => {
      if (!(failure instanceof ApiError)) return;
      setQuestion(failure.code === 'ACCOUNT_REQUIRED' ? { by, accounts: failure.accounts } : undefined);
      if (failure.code === 'TOTP_REQUIRED') setCode('');
    },
  });
  const forgotten = useMutation({
    mutationFn: () => request(api.POST('/api/client/password/forgotten', { body: { email } })),
    onError: () => undefined,
  });
  useEffect(() => {
    if (choose) login.mutate({ by: 'provider' });
  }, []);
  const forgetAccount = () => {
    setAccount(undefined);
    setCode(undefined);
  };
  const enter = (change: Partial<typeof credentials>) => {
    setCredentials({ ...credentials, ...change });
    forgetAccount();
  };
  const error = login.error !== null && !isQuestion(login.error) ? login.error : forgotten.error;
  const isWrongPassword = isRefused(login.error) && login.variables?.by === 'password' && code === undefined;
  const lastAccount = isWrongPassword && account === undefined ? localStorage.getItem(LAST_ACCOUNT) : null;
  const alert = error && (
    <Alert color="red" role="alert">
      {error instanceof ApiError ? error.message : 'The server did not respond. Try again in a moment.'}
    </Alert>
  );
  if (question)
    return (
      <LoginFrame>
        {alert}
        <AccountPicker
          accounts={question.accounts}
          isPending={login.isPending}
          onBack={() => {
            login.reset();
            setQuestion(undefined);
            void navigate({ search: ({ choose: _, ...others }) => others, replace: true });
          }}
          onChoose={(user_id) => {
            if (question.by === 'password') setAccount(user_id);
            login.mutate({ by: question.by, user_id });
          }}
        />
      </LoginFrame>
    );
  return (
    <LoginFrame>
      <Form
        onSubmit={() => {
          forgotten.reset();
          login.mutate({ by: 'password', user_id: account });
        }}
      >
        <div>
          <Title order={1} size="h3">
            Log in
          </Title>
          <Dimmed>
            {next === undefined ? 'Your business’s messages, keys and webhooks.' : 'You are logged out. Log in to continue where you were.'}
          </Dimmed>
        </div>
        {problem !== undefined && !error && (
          <Alert color="red" role="alert">
            {providerProblem(problem)}
          </Alert>
        )}
        {alert}
        {forgotten.data && <Alert role="status">{forgotten.data.message}</Alert>}
        <Field name="email">
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            autoFocus
            required
            ref={emailInput}
            error={isEmailMissing && 'Enter your email first. A link to set a new password is sent to it.'}
            value={email}
            onChange={(e) => {
              setEmailMissing(false);
              enter({ email: e.currentTarget.value });
            }}
          />
        </Field>
        <Field name="password">
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(e) => enter({ password: e.currentTarget.value })}
          />
        </Field>
        {code !== undefined && (
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
        {lastAccount !== null && (
          <Button
            variant="subtle"
            onClick={() => {
              setAccount(Number(lastAccount));
              login.mutate({ by: 'password', user_id: Number(lastAccount) });
            }}
          >
            Log in to the account you last used here
          </Button>
        )}
        {account !== undefined && (
          <Button
            variant="subtle"
            onClick={() => {
              forgetAccount();
              login.mutate({ by: 'password' });
            }}
          >
            Choose another account
          </Button>
        )}
        {options.data?.oidc && (
          <Button component="a" variant="default" href={`/api/client/oidc?next=${encodeURIComponent(next ?? '/')}`}>
            Log in with your organization
          </Button>
        )}
        <Button
          variant="subtle"
          loading={forgotten.isPending}
          onClick={() => {
            login.reset();
            if (email.trim() !== '') return forgotten.mutate();
            setEmailMissing(true);
            emailInput.current?.focus();
          }}
        >
          I forgot my password
        </Button>
      </Form>
    </LoginFrame>
  );
}

/** How the person proves who they are. */
type LoginBy = 'password' | 'provider';

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

/** A login that names its account may work when one without it does not (decision 718). */
const isRefused = (error: unknown): boolean => error instanceof ApiError && error.code === 'NOT_AUTHENTICATED';
const isCodeMissing = (error: unknown): boolean => error instanceof ApiError && error.code === 'TOTP_REQUIRED';
/** Whether the login goes on with another question, so that there is nothing to explain. */
const isQuestion = (error: unknown): boolean => isCodeMissing(error) || (error instanceof ApiError && error.code === 'ACCOUNT_REQUIRED');

/** The page to return to, as a full URL of this origin: `//elsewhere` would be another host. */
function ownPage(next = '/'): string {
  const { origin } = window.location;
  const url = URL.canParse(next, origin) ? new URL(next, origin) : null;
  return url?.origin === origin && url.pathname !== '/login' ? url.href : origin;
}
