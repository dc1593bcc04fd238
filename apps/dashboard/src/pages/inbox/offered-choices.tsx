import { Anchor, Box, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ThreadMessage } from './thread-message';

type Offer = NonNullable<ThreadMessage['offer']>;

/** The buttons below an interactive message, as the customer sees them. */
export function offeredButtons({ buttons, list, link, flow, kind }: Offer): ReactNode[] {
  if (list) return [<ChoiceList key="list" {...list} />];
  if (link)
    return [
      <Anchor key="link" href={link.url} target="_blank" rel="noopener noreferrer" inherit c="inherit">
        ↗ {link.text}
      </Anchor>,
    ];
  if (flow) return [flow.cta];
  if (kind === 'location_request') return ['📍 Send location'];
  return (buttons ?? []).map(({ title }) => `↩ ${title}`);
}

function ChoiceList({ button, sections }: NonNullable<Offer['list']>) {
  return (
    <details>
      <summary style={{ cursor: 'pointer', listStyle: 'none' }}>☰ {button}</summary>
      <Box ta="start" mt={6} c="var(--mantine-color-text)" fw={400}>
        {sections.map(({ title, rows }, i) => (
          <Box key={i} mt={4}>
            {title && (
              <Text size="xs" fw={650} dir="auto">
                {title}
              </Text>
            )}
            {rows.map((row) => (
              <Box key={row.id} py={3}>
                <Text size="sm" dir="auto">
                  ○ {row.title}
                </Text>
                {row.description && (
                  <Text size="xs" pl={16} dir="auto" style={{ opacity: 0.85 }}>
                    {row.description}
                  </Text>
                )}
              </Box>
            ))}
          </Box>
        ))}
      </Box>
    </details>
  );
}
