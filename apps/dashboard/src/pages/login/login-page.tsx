import { Alert } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';
import { api, ApiError, request } from '../../api/client';
import { useTitle } from '../../components/use-title';
import { AccountPicker } from './account-picker';
import { isQuestion } from './login-failures';
import { LoginForm } from './login-form';
import { LoginFrame } from './login-frame';
import { useLogin } from './use-login';

const route = getRouteApi('/login');

export function LoginPage() {
  useTitle('Log in');
  const { next, problem, choose = false } = route.useSearch();
  const navigate = route.useNavigate();
  const login = useLogin(next);
  const forgotten = useMutation({
    mutationFn: () => request(api.POST('/api/client/password/forgotten', { body: { email: login.credentials.email } })),
    onError: () => undefined,
  });
  useEffect(() => {
    if (choose) login.withProvider();
  }, []);
  const error = login.error !== null && !isQuestion(login.error) ? login.error : forgotten.error;
  const alert = error && (
    <Alert color="red" role="alert">
      {error instanceof ApiError ? error.message : 'The server did not respond. Try again in a moment.'}
    </Alert>
  );
  return (
    <LoginFrame>
      {login.accounts ? (
        <>
          {alert}
          <AccountPicker
            accounts={login.accounts}
            isPending={login.isPending}
            onBack={() => {
              login.goBack();
              void navigate({ search: ({ choose: _, ...others }) => others, replace: true });
            }}
            onChoose={login.choose}
          />
        </>
      ) : (
        <LoginForm next={next} problem={error ? undefined : problem} alert={alert} login={login} forgotten={forgotten} />
      )}
    </LoginFrame>
  );
}
