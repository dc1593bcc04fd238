import { Button, PasswordInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ApiError, notifyError, notifySuccess, request } from '../../api/client';
import { isComplete, NewPasswordFields, NO_PASSWORD } from '../../components/new-password-fields';
import { useMe } from '../../api/session';
import { Form } from '../../components/form';
import { TitledCard } from '../../components/titled-card';

export function ChangePassword() {
  const queries = useQueryClient();
  const { user } = useMe();
  const [current, setCurrent] = useState('');
  const [value, setValue] = useState(NO_PASSWORD);
  const change = useMutation({
    mutationFn: () => request(api.PUT('/api/client/me/password', { body: { current_password: current, new_password: value.password } })),
    onSuccess: ({ message }) => {
      notifySuccess(message);
      setCurrent('');
      setValue(NO_PASSWORD);
      void queries.invalidateQueries({ queryKey: ['sessions'] });
    },
    onError: (error) => !isWrong(error) && notifyError(error),
  });
  return (
    <TitledCard title="Password">
      <Form gap="xs" onSubmit={() => change.mutate()}>
        {/* Password managers save the password for this user. */}
        <input type="text" autoComplete="username" value={user.email} readOnly hidden />
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          value={current}
          error={isWrong(change.error) && 'This is not your password.'}
          onChange={(e) => {
            setCurrent(e.currentTarget.value);
            change.reset();
          }}
        />
        <NewPasswordFields value={value} onChange={setValue} />
        <Button type="submit" loading={change.isPending} disabled={!isComplete(value)}>
          Change password
        </Button>
      </Form>
    </TitledCard>
  );
}

const isWrong = (error: unknown): boolean => error instanceof ApiError && error.details.some(({ field }) => field === 'current_password');
