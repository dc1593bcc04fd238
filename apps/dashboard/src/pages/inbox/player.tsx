import { Box } from '@mantine/core';
import { mediaAddress } from './media-address';

/** A voice note, sound or video. It loads when the person plays it. */
export function Player({ id, kind, label }: { id: string; kind: 'audio' | 'video'; label: string }) {
  const shared = { src: mediaAddress(id), controls: true, preload: 'none', 'aria-label': label } as const;
  return (
    <Box mb={4} maw="100%">
      {kind === 'audio' ? (
        <audio {...shared} style={{ width: 280, maxWidth: '100%', height: 40, display: 'block' }} />
      ) : (
        <video
          {...shared}
          width={260}
          height={170}
          style={{ maxWidth: '100%', borderRadius: 8, background: '#10201a', display: 'block' }}
        />
      )}
    </Box>
  );
}
