import { Anchor, Group, Text } from '@mantine/core';
import { IconFileDescription } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { TYPED } from '../../components/typed-text';

/** A file with its name; it opens or downloads in a new tab. */
export function FileCard({ href, name, about }: { href: string; name: string; about: ReactNode }) {
  return (
    <Anchor href={href} target="_blank" rel="noopener noreferrer" c="inherit" underline="never">
      <Group
        gap={10}
        p="xs"
        mb={4}
        wrap="nowrap"
        bg="light-dark(#0000000d, #ffffff14)"
        style={{ borderRadius: 8, minWidth: 200, maxWidth: '100%' }}
      >
        <IconFileDescription size={28} stroke={1.5} style={{ flexShrink: 0 }} aria-hidden />
        <div style={{ minWidth: 0 }}>
          <Text size="sm" fw={550} {...TYPED}>
            {name}
          </Text>
          <Text size="xs" style={{ opacity: 0.85 }}>
            {about}
          </Text>
        </div>
      </Group>
    </Anchor>
  );
}
