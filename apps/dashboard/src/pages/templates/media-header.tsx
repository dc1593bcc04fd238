import { Center, Stack, Text } from '@mantine/core';
import { IconFileText, IconPhoto, IconPlayerPlay } from '@tabler/icons-react';
import type { MediaType } from './sample-file';

const ICONS = { image: IconPhoto, video: IconPlayerPlay, document: IconFileText };

/** The file of a header as a phone shows it. @param url of a picture; null for a drawing in its place */
export function MediaHeader({ type, name, url = null }: { type: MediaType; name: string; url?: string | null }) {
  if (type === 'image' && url)
    return <img src={url} alt={name} style={{ display: 'block', width: '100%', borderRadius: 8, marginBottom: 6 }} />;
  const Icon = ICONS[type];
  return (
    <Center mih={type === 'document' ? 56 : 130} p="xs" mb={6} bg="light-dark(#00000010, #ffffff14)" style={{ borderRadius: 8 }}>
      <Stack gap={4} align="center">
        <Icon size={28} stroke={1.5} aria-hidden />
        <Text size="xs">{name || { image: 'Picture', video: 'Video', document: 'Document' }[type]}</Text>
      </Stack>
    </Center>
  );
}
