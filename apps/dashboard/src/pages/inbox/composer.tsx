import { Alert, Box, Button, CloseButton, Group, Text, Textarea } from '@mantine/core';
import { IconClock, IconSend } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode, Ref } from 'react';
import { isSendKey } from './is-send-key';

/** The field in which an agent writes. @param quote the message that the reply quotes */
export function Composer({
  text,
  onChange,
  onSend,
  isSending,
  quote,
  onDropQuote,
  field,
}: {
  text: string;
  onChange: (text: string) => void;
  onSend: () => void;
  isSending: boolean;
  quote: ReactNode;
  onDropQuote: () => void;
  field: Ref<HTMLTextAreaElement>;
}) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    >
      {quote && (
        <Group wrap="nowrap" gap="xs" mb={6}>
          <Box style={{ flex: 1, minWidth: 0 }}>{quote}</Box>
          <CloseButton aria-label="Do not quote" onClick={onDropQuote} />
        </Group>
      )}
      <Group align="flex-end" wrap="nowrap" gap="xs">
        <Textarea
          ref={field}
          aria-label="Reply"
          styles={{ input: { unicodeBidi: 'plaintext' } }}
          placeholder="Write a reply"
          style={{ flex: 1 }}
          autosize
          minRows={1}
          maxRows={6}
          value={text}
          onChange={(e) => onChange(e.currentTarget.value)}
          onKeyDown={(e) => {
            if (!isSendKey(e)) return;
            e.preventDefault();
            onSend();
          }}
        />
        <Button type="submit" loading={isSending} leftSection={<IconSend size={16} />}>
          Send
        </Button>
      </Group>
    </form>
  );
}

/** Replaces the field while WhatsApp allows templates only. */
export function ClosedWindow({ phone }: { phone: string }) {
  return (
    <Alert color="yellow" icon={<IconClock />} title="The 24-hour window is closed">
      <Text size="sm">
        WhatsApp lets you write freely only within 24 hours of the customer’s last message. An approved template goes out at any time.
      </Text>
      <Button component={Link} to="/templates" search={{ phone } as never} variant="default" size="xs" mt="xs">
        Choose a template
      </Button>
    </Alert>
  );
}
