import { Button, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../api/client';
import { CopiedValue } from './copied-value';
import { WhereToFind } from './where-to-find';

const WHERE = [
  'Open developers.facebook.com/apps, select your app, then Use cases, Customize beside “Connect with customers through WhatsApp”, and Configuration.',
  'Enter the callback URL and the verify token from below, and select Verify and save. WhatsApp calls this gateway at once; the check list shows when.',
  'Under Webhook fields subscribe to messages, message_template_status_update, template_category_update, user_preferences and account_update.',
];

/** The values that Meta's console takes, after the connection is saved: only then the gateway knows the verify token. */
export function CallbackStep({
  connection,
  saving,
  onNewToken,
  onNext,
}: {
  connection: Schemas['Connection'];
  saving: boolean;
  onNewToken: () => void;
  onNext: () => void;
}) {
  const { callback_url, verify_token } = connection;
  const isPrivate = !callback_url.startsWith('https://');
  return (
    <Stack>
      <WhereToFind steps={WHERE} />
      <Stack gap={4} maw={680}>
        <CopiedValue label="Callback URL" value={callback_url} />
        {verify_token !== null && <CopiedValue label="Verify token" value={verify_token} />}
      </Stack>
      {verify_token === null && (
        <>
          <Text maw={680}>The stored verify token cannot be read. Create a new one, and enter it in Meta’s console.</Text>
          <Button variant="default" loading={saving} onClick={onNewToken} style={{ alignSelf: 'flex-start' }}>
            Create a verify token
          </Button>
        </>
      )}
      {isPrivate && (
        <Text size="sm" c="dimmed" maw={680}>
          Meta takes only https addresses that are reachable from the internet. This one suits the local simulator.
        </Text>
      )}
      <Button onClick={onNext} style={{ alignSelf: 'flex-start' }}>
        Continue
      </Button>
    </Stack>
  );
}
