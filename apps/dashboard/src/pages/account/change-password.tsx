import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, notifySuccess, request, shownByForm } from '../../api/client';
import { NewPasswordFields, NO_PASSWORD } from '../../components/new-password-fields';
import { useMe } from '../../api/session';
import { Field } from '../../components/field';
import { Form } from '../../components/form';
import { TitledCard } from '../../components/titled-card';
import { PasswordField } from '../../components/password-field';

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
    onError: shownByForm,
  });
  return (
    <TitledCard title="Password">
      <Form gap="xs" onSubmit={() => change.mutate()} error={change.error}>
        {/* Password managers save the password for this user. */}
        <input type="text" autoComplete="username" value={user.email} readOnly hidden />
        <Field name="current_password">
          <PasswordField
            label="Current password"
            visibilityToggleButtonProps={{ 'aria-label': 'Show the current password' }}
            autoComplete="current-password"
            required
            value={current}
            onChange={(e) => setCurrent(e.currentTarget.value)}
          />
        </Field>
        <NewPasswordFields value={value} onChange={setValue} />
        <Button type="submit" loading={change.isPending}>
          Change password
        </Button>
      </Form>
    </TitledCard>
  );
}
