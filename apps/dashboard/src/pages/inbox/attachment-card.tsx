import { ActionIcon, Group, Progress, Text, VisuallyHidden } from '@mantine/core';
import { IconFileDescription, IconX } from '@tabler/icons-react';
import { useObjectUrl } from '../../components/use-object-url';
import { formatBytes } from './format-bytes';
import type { Attachment } from './use-attachment';

/** The attached file above the reply field, with the progress of its upload. */
export function AttachmentCard({ attachment, onRemove }: { attachment: Attachment; onRemove: () => void }) {
  const { filename, kind, size, progress, mediaId, upload } = attachment;
  const preview = useObjectUrl(kind === 'image' && upload ? upload.file : null);
  return (
    <Group className="inbox-attachment" role="group" aria-label="Attached file" gap="xs" wrap="nowrap" p={6} mb={6}>
      {preview ? (
        <img src={preview} alt="" width={40} height={40} style={{ objectFit: 'cover', borderRadius: 6 }} />
      ) : (
        <IconFileDescription size={32} stroke={1.5} aria-hidden style={{ flexShrink: 0 }} />
      )}
      <div style={{ flex: 1, minWidth: 0 }}>
        <Text size="sm" truncate dir="auto">
          {filename}
        </Text>
        <Text size="xs" c="dimmed">
          {formatBytes(size)}
          {mediaId === null && (progress < 1 ? `, uploading ${Math.round(progress * 100)} %` : ', WhatsApp receives it …')}
        </Text>
        {mediaId === null && <Progress value={progress * 100} size={4} mt={4} aria-label="Upload" />}
      </div>
      <VisuallyHidden role="status">{mediaId === null ? 'Uploading' : 'Attached'}</VisuallyHidden>
      <ActionIcon variant="subtle" color="gray" aria-label="Remove the file" onClick={onRemove}>
        <IconX size={16} />
      </ActionIcon>
    </Group>
  );
}
