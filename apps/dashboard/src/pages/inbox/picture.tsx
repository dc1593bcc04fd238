import { Box, Image, Text, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { mediaAddress } from './media-address';
import { Modal } from '../../components/modal';

const PICTURE = { width: 260, height: 170 };
const STICKER = { width: 140, height: 140 };

/** A picture or sticker in a box of fixed size, so that the thread does not move when it arrives. It opens large. */
export function Picture({ id, isSticker = false, alt }: { id: string; isSticker?: boolean; alt: string }) {
  const [isOpen, setOpen] = useState(false);
  const [isMissing, setMissing] = useState(false);
  const { width, height } = isSticker ? STICKER : PICTURE;
  const box = { width, height, maxWidth: '100%', borderRadius: 8, overflow: 'hidden', display: 'grid', placeItems: 'center' };
  const bg = isSticker ? undefined : 'light-dark(#00000010, #ffffff14)';
  if (isMissing)
    return (
      <Box style={box} bg="light-dark(#00000010, #ffffff14)" p="xs" mb={4}>
        <Text size="xs" ta="center">
          {alt}: cannot be loaded now.
        </Text>
      </Box>
    );
  return (
    <>
      <UnstyledButton style={box} bg={bg} mb={4} aria-label={`Open ${alt.toLowerCase()}`} onClick={() => setOpen(true)}>
        <img
          src={mediaAddress(id)}
          alt={alt}
          loading="lazy"
          width={width}
          height={height}
          style={{ maxWidth: '100%', objectFit: isSticker ? 'contain' : 'cover' }}
          onError={() => setMissing(true)}
        />
      </UnstyledButton>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={alt} size="xl" centered>
        <Image src={mediaAddress(id)} alt={alt} mah="75vh" fit="contain" />
      </Modal>
    </>
  );
}
