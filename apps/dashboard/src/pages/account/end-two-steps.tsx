import { Button, PasswordInput } from '@mantine/core';
import { useState } from 'react';
import { api, request } from '../../api/client';
import { Form } from '../../components/form';
import { useChange } from '../../api/use-change';

export function EndTwoSteps() {
  const [password, setPassword] = useState('');
  const end = useChange(() => request(api.DELETE('/api/client/me/totp', { body: { password } })));
  return (
    <Form gap="xs" onSubmit={() => end.mutate()}>
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
    </Form>
  );
}
