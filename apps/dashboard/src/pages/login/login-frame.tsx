import { Center, Paper, Stack } from '@mantine/core';
import type { PropsWithChildren } from 'react';

export function LoginFrame({ children }: PropsWithChildren) {
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
