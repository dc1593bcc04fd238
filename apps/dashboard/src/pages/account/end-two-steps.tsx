import { Button, PasswordInput, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, notifySuccess, request } from '../../api/client';

export function EndTwoSteps({ done }: { done: () => void }) {
  const [password, setPassword] = useState('');
  const end = useMutation({
    mutationFn: () => request(api.DELETE('/api/client/me/totp', { body: { password } })),
    onSuccess: ({ message }) => {
      notifySuccess(message);
      done();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        end.mutate();
      }}
    >
      <Stack gap="xs">
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(e) => setPassword(e.currentTarget.value)}
        />
        <Button type="submit" variant="default" loading={end.isPending}>
          Turn off
        </Button>
      </Stack>
    </form>
  );
}
