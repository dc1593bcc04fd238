import { Center } from '@mantine/core';
import { LoadFailed } from './load-failed';

export function ErrorPage({ error }: { error: unknown }) {
  return (
    <Center mih="60vh">
      <LoadFailed error={error} retry={() => window.location.reload()} />
    </Center>
  );
}
