import { Alert, Button, Stack } from '@mantine/core';
import { RelativeTime } from './relative-time';
import { Snippet } from './snippet';
import { Dimmed } from './dimmed';
import { Modal } from './modal';

/** The link of an invitation or a reset. */
export interface PersonalLink {
  url: string;
  expires_at: string;
  message: string;
}

/** Shows a link that no list shows again, so only its own button closes the dialog. */
export function LinkShownOnce({ link, title, done }: { link: PersonalLink | null; title: string; done: () => void }) {
  return (
    <Modal opened={link !== null} onClose={() => undefined} withCloseButton={false} closeOnEscape={false} title={title}>
      {link && (
        <Stack>
          <Alert role="alert" color="yellow" title={link.message} />
          <Snippet text={link.url} label="Copy the link" />
          <Dimmed>
            It works once and expires <RelativeTime at={link.expires_at} />.
          </Dimmed>
          <Button onClick={done}>I have copied it</Button>
        </Stack>
      )}
    </Modal>
  );
}
