import { Alert } from '@mantine/core';
import { IconWifiOff } from '@tabler/icons-react';

/** Warns that the page cannot be current, and that nothing waits to be sent (decision 187). */
export function OfflineNotice() {
  return (
    <Alert role="alert" color="yellow" mb="md" icon={<IconWifiOff />} title="You are offline">
      The page shows what it loaded last, and is loaded again when you are online. Nothing is sent until then.
    </Alert>
  );
}
