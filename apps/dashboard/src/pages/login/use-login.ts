import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ApiError, request, type Account } from '../../api/client';
import { accountsToChoose, isCodeMissing, isRefused } from './login-failures';
import { ownPage } from './own-page';

/** The account of this browser's last login, by its id only. */
const LAST_ACCOUNT = 'login.account';

/** How the person proves who they are. */
type LoginBy = 'password' | 'provider';

/** A login, and what it may need after the password: the code of an authenticator app, and the choice of an account. @param next the page after it */
export function useLogin(next: string | undefined) {
  const [credentials, setCredentials] = useState({ email: '', password: '' });
  const [code, setCode] = useState<string>();
  const [question, setQuestion] = useState<{ by: LoginBy; accounts: Account[] }>();
  /** The chosen account of this email and password. */
  const [account, setAccount] = useState<number>();
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
      const accounts = accountsToChoose(failure);
      setQuestion(accounts ? { by, accounts } : undefined);
      if (isCodeMissing(failure)) setCode('');
    },
  });
  const isWrongPassword = isRefused(login.error) && login.variables?.by === 'password' && code === undefined;
  const lastAccount = isWrongPassword && account === undefined ? localStorage.getItem(LAST_ACCOUNT) : null;
  const forgetAccount = () => {
    setAccount(undefined);
    setCode(undefined);
  };
  return {
    credentials,
    enter: (change: Partial<typeof credentials>) => {
      setCredentials({ ...credentials, ...change });
      forgetAccount();
    },
    /** Undefined until it is needed. */
    code,
    setCode,
    accounts: question?.accounts,
    choose: (user_id: number) => {
      if (question?.by === 'password') setAccount(user_id);
      if (question) login.mutate({ by: question.by, user_id });
    },
    goBack: () => {
      login.reset();
      setQuestion(undefined);
    },
    hasChosen: account !== undefined,
    chooseAnother: () => {
      forgetAccount();
      login.mutate({ by: 'password' });
    },
    hasLast: lastAccount !== null,
    chooseLast: () => {
      setAccount(Number(lastAccount));
      login.mutate({ by: 'password', user_id: Number(lastAccount) });
    },
    withPassword: () => login.mutate({ by: 'password', user_id: account }),
    withProvider: () => login.mutate({ by: 'provider' }),
    isPending: login.isPending,
    error: login.error,
    reset: () => login.reset(),
  };
}
