import { Alert, Button, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState, type ReactNode } from 'react';
import { api, request } from '../../api/client';
import { Dimmed } from '../../components/dimmed';
import { Field } from '../../components/field';
import { Form } from '../../components/form';
import { providerProblem } from './login-failures';
import type { useLogin } from './use-login';
import { PasswordField } from '../../components/password-field';

interface LoginFormProps {
  /** The page to which the person returns; undefined if they came by themselves. */
  next: string | undefined;
  /** Why a login with the organization's provider failed. */
  problem: string | undefined;
  alert: ReactNode;
  login: ReturnType<typeof useLogin>;
  /** Requests a link to set a new password. */
  forgotten: { mutate: () => void; reset: () => void; isPending: boolean; data: { message: string } | undefined };
}

export function LoginForm({ next, problem, alert, login, forgotten }: LoginFormProps) {
  const options = useQuery({ queryKey: ['login-options'], queryFn: () => request(api.GET('/api/client/login/options')) });
  /** Whether a link was requested without an email. */
  const [isEmailMissing, setEmailMissing] = useState(false);
  const emailInput = useRef<HTMLInputElement>(null);
  const { email, password } = login.credentials;
  return (
    <Form
      onSubmit={() => {
        forgotten.reset();
        login.withPassword();
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
      {problem !== undefined && (
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
            login.enter({ email: e.currentTarget.value });
          }}
        />
      </Field>
      <Field name="password">
        <PasswordField
          label="Password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(e) => login.enter({ password: e.currentTarget.value })}
        />
      </Field>
      {login.code !== undefined && (
        <Field name="code">
          <TextInput
            label="Code"
            description="The code of your authenticator app, or a recovery code."
            autoComplete="one-time-code"
            autoFocus
            required
            value={login.code}
            onChange={(e) => login.setCode(e.currentTarget.value)}
          />
        </Field>
      )}
      <Button type="submit" loading={login.isPending} fullWidth>
        Log in
      </Button>
      {login.hasLast && (
        <Button variant="subtle" onClick={login.chooseLast}>
          Log in to the account you last used here
        </Button>
      )}
      {login.hasChosen && (
        <Button variant="subtle" onClick={login.chooseAnother}>
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
  );
}
