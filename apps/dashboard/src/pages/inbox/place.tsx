import { Anchor, Box, Text } from '@mantine/core';
import type { ThreadMessage } from './thread-message';

/** A drawn street grid: a real map would show the customer's place to another company before anyone opens it. */
const STREETS = {
  backgroundColor: 'light-dark(#cfe3d4, #2f4437)',
  backgroundImage:
    'linear-gradient(90deg, light-dark(#fff, #46604f) 2px, transparent 2px), linear-gradient(light-dark(#fff, #46604f) 2px, transparent 2px)',
  backgroundSize: '46px 30px',
};

/** A location, with a link to a map. */
export function Place({ latitude, longitude, name, address }: NonNullable<ThreadMessage['location']>) {
  const href = `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${latitude}/${longitude}`;
  return (
    <Box w={260} maw="100%">
      <Box aria-hidden h={84} mb={4} fz={24} style={{ ...STREETS, borderRadius: 8, display: 'grid', placeItems: 'center' }}>
        📍
      </Box>
      {name && (
        <Text size="sm" fw={550} dir="auto">
          {name}
        </Text>
      )}
      {address && (
        <Text size="sm" dir="auto">
          {address}
        </Text>
      )}
      <Anchor size="xs" c="inherit" underline="always" href={href} target="_blank" rel="noopener noreferrer">
        {latitude}, {longitude}
      </Anchor>
    </Box>
  );
}
