import { Text } from '@mantine/core';
import { number } from '../../components/format-number';
import { SLOTS } from './broadcast-rates';

const HEIGHT = 40;

/** Messages a minute, as bars of five seconds for five minutes. It has one height from its beginning on. @param rates the newest last */
export function BroadcastRatePlot({ rates }: { rates: number[] }) {
  const most = Math.max(0, ...rates);
  const summary = rates.length === 0 ? 'measuring' : `at most ${number(most)}`;
  return (
    <div>
      <Text size="xs" c="dimmed" truncate>
        Messages a minute: {summary}
      </Text>
      <div
        role="img"
        aria-label={`Messages a minute, in bars of five seconds: ${summary}`}
        style={{
          display: 'flex',
          alignItems: 'flex-end',
          gap: 1,
          height: HEIGHT,
          marginTop: 4,
          borderBottom: '1px solid var(--mantine-color-default-border)',
        }}
      >
        {Array.from({ length: SLOTS }, (_, i) => (
          <div
            key={i}
            style={{
              flex: '1 1 0',
              height: heightOf(rates[rates.length - SLOTS + i] ?? 0, most),
              background: 'var(--mantine-color-green-6)',
            }}
          />
        ))}
      </div>
    </div>
  );
}

/** A single message stays visible among thousands. */
const heightOf = (rate: number, most: number) => (rate === 0 ? 0 : Math.max(2, Math.round((rate / most) * HEIGHT)));
