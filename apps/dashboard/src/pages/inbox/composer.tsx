import { ActionIcon, Alert, Box, Button, CloseButton, FileButton, Group, Text, Textarea, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconClock, IconPaperclip, IconSend, IconTemplate } from '@tabler/icons-react';
import { useCallback, useEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import { flushSync } from 'react-dom';
import { AttachmentCard } from './attachment-card';
import { isSendKey } from './is-send-key';
import { QuickReplyMenu } from './quick-reply-menu';
import { SENDABLE_TYPES } from './sendable-file';
import { captionProblem, type useAttachment } from './use-attachment';
import { useQuickReplies } from './use-quick-replies';
import { variableProblem } from './variable-problem';

/** The texts of both kinds, so that a note for the team never becomes a reply to the customer, and the id of the message that the reply quotes. */
/** `noteSeed`: the seed of the Idempotency-Key of a note that may have been added already. */
export type Draft = { kind: 'reply' | 'note'; reply: string; note: string; quoted?: string | undefined; noteSeed?: string | undefined };

/**
 * A field for a reply or a note.
 * @param optOut replaces the reply if the customer opted out
 * @param quote the message that the reply quotes
 * @param field becomes the element with which a reply begins: the field, or the button of a template in its place
 */
export function Composer({
  draft,
  onChange,
  onSend,
  isSending,
  isWindowOpen,
  optOut,
  quote,
  onDropQuote,
  attaching,
  onTemplate,
  onQuickReplies,
  field,
}: {
  draft: Draft;
  onChange: (draft: Draft) => void;
  onSend: () => void;
  isSending: boolean;
  isWindowOpen: boolean;
  optOut: ReactNode;
  quote: ReactNode;
  onDropQuote: () => void;
  attaching: ReturnType<typeof useAttachment>;
  onTemplate: () => void;
  onQuickReplies: () => void;
  field: RefObject<HTMLElement | null>;
}) {
  const fieldRef = useCallback((element: HTMLElement | null) => {
    field.current = element;
  }, []);
  const { kind } = draft;
  const text = draft[kind];
  const write = (next: string) => onChange({ ...draft, [kind]: next });
  const isNote = kind === 'note';
  /** Focuses the field of the kind, because the inbox takes letters that are typed elsewhere as shortcuts. */
  const choose = (next: Draft['kind']) => {
    flushSync(() => onChange({ ...draft, kind: next }));
    field.current?.focus();
  };
  const attachment = isNote ? null : attaching.attachment;
  const wrong = isNote ? null : ((attachment && captionProblem(attachment, text)) ?? variableProblem(text));
  // A refused or failed file leaves no attachment, so its problem only informs: the text by itself can be sent.
  const problem = wrong ?? (isNote ? null : attaching.problem);
  const [isTooEarly, setTooEarly] = useState(false);
  useEffect(() => setTooEarly(false), [isSending]);
  const shown = problem ?? (isTooEarly ? 'Your previous message is still being sent. Send this one after it.' : null);
  const clearChoice = useRef<() => void>(null);
  // A placeholder of two lines makes an empty field higher than one with a word.
  const isPhone = useMediaQuery('(max-width: 36em)', undefined, { getInitialValueInEffect: false });
  const quick = useQuickReplies(isNote ? '' : text, write);
  return (
    <form
      className="inbox-composer"
      data-dropping={attaching.isDropping || undefined}
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    >
      <Group gap={2} mb={6} justify="space-between">
        <Group gap={2} role="group" aria-label="Kind of message">
          <UnstyledButton className="inbox-tab" aria-pressed={!isNote} onClick={() => choose('reply')}>
            Reply
          </UnstyledButton>
          <UnstyledButton className="inbox-tab" aria-pressed={isNote} onClick={() => choose('note')}>
            Note
          </UnstyledButton>
        </Group>
        <Group gap={2}>
          {isWindowOpen && !optOut && !isNote && (
            <UnstyledButton className="inbox-tab" onClick={onTemplate}>
              Template
            </UnstyledButton>
          )}
          <UnstyledButton className="inbox-tab" onClick={onQuickReplies}>
            Quick replies
          </UnstyledButton>
        </Group>
      </Group>
      {optOut && !isNote ? (
        optOut
      ) : isNote || isWindowOpen ? (
        <>
          {quote && !isNote && (
            <Group wrap="nowrap" gap="xs" mb={6}>
              <Box style={{ flex: 1, minWidth: 0 }}>{quote}</Box>
              <CloseButton aria-label="Do not quote" onClick={onDropQuote} />
            </Group>
          )}
          {attachment && <AttachmentCard attachment={attachment} onRemove={attaching.remove} />}
          {quick.matches.length > 0 && <QuickReplyMenu matches={quick.matches} active={quick.active} onChoose={quick.choose} />}
          <Group align="flex-end" wrap="nowrap" gap="xs">
            {!isNote && (
              <FileButton
                accept={SENDABLE_TYPES.join(',')}
                resetRef={clearChoice}
                onChange={(file) => {
                  if (file) attaching.attach([file]);
                  // The same file may be chosen again.
                  clearChoice.current?.();
                }}
              >
                {(button) => (
                  <ActionIcon {...button} variant="subtle" color="gray" size={36} aria-label="Attach a file">
                    <IconPaperclip size={20} />
                  </ActionIcon>
                )}
              </FileButton>
            )}
            <Textarea
              ref={fieldRef}
              aria-label={isNote ? 'Note' : 'Reply'}
              aria-controls={quick.matches.length > 0 ? 'quick-replies' : undefined}
              aria-activedescendant={quick.matches.length > 0 ? `quick-reply-${quick.matches[quick.active]?.id}` : undefined}
              styles={{ input: { unicodeBidi: 'plaintext', ...(isNote && { background: 'light-dark(#fffaf0, #2b2616)' }) } }}
              placeholder={
                isNote
                  ? 'Write a note for your team'
                  : attachment
                    ? 'Add a caption'
                    : `Write a reply${isPhone ? '' : ', / for quick replies'}`
              }
              error={shown}
              errorProps={{ role: 'alert' }}
              onPaste={attaching.paste}
              style={{ flex: 1 }}
              autosize
              minRows={1}
              maxRows={6}
              value={text}
              onChange={(e) => write(e.currentTarget.value)}
              onKeyDown={(e) => {
                if (quick.onKey(e)) return e.preventDefault();
                if (e.key === 'Escape' && !e.nativeEvent.isComposing) return e.currentTarget.blur();
                if (!isSendKey(e)) return;
                e.preventDefault();
                if (isSending && text.trim()) setTooEarly(true);
                else onSend();
              }}
            />
            <Button
              type="submit"
              loading={isSending}
              disabled={wrong !== null || (attachment !== null && attachment.mediaId === null)}
              leftSection={<IconSend size={16} />}
            >
              {isNote ? 'Add' : 'Send'}
            </Button>
          </Group>
        </>
      ) : (
        <Alert role="status" color="yellow" icon={<IconClock />} title="The 24-hour window is closed" p="sm">
          <Group justify="space-between" gap="xs">
            <Text size="sm" style={{ flex: '1 1 220px' }}>
              You can write freely only within 24 hours of the customer’s last message. An approved template goes out at any time.
            </Text>
            <Button ref={fieldRef} variant="default" leftSection={<IconTemplate size={16} />} onClick={onTemplate}>
              Template
            </Button>
          </Group>
        </Alert>
      )}
    </form>
  );
}
