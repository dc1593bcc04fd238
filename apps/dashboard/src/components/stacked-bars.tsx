import { Box, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { number } from './format-number';
import type { Bar, Part } from './bar';
import { BarNames } from './bar-names';
import { BarValues } from './bar-values';
import { PartsLegend, partColor } from './parts-legend';

const LINES = 4;
/** In pixels. */
const HEIGHT = 220;
const FILLED = { position: 'absolute', inset: 0, display: 'flex' } as const;

interface StackedBarsProps {
  bars: Bar[];
  parts: Part[];
  /** Names the bars and the place of the same numbers as text. */
  label: string;
}

/** Stacked bars. The page must show the same numbers as text. */
export function StackedBars({ bars, parts, label }: StackedBarsProps) {
  const [under, setUnder] = useState<Bar | null>(null);
  const lines = linesFor(Math.max(0, ...bars.map(({ values }) => sum(values))));
  const top = lines[lines.length - 1] as number;
  return (
    <Box role="img" aria-label={label}>
      <Box fz="xs" c="dimmed" style={{ display: 'grid', gridTemplateColumns: 'max-content 1fr', columnGap: 8, rowGap: 6 }}>
        <Box h={HEIGHT} lh={0} ta="right" style={{ display: 'flex', flexDirection: 'column-reverse', justifyContent: 'space-between' }}>
          {lines.map((line) => (
            <span key={line}>{number(line)}</span>
          ))}
        </Box>
        <Tooltip.Floating disabled={under === null} label={under && <BarValues bar={under} parts={parts} />}>
          <Box pos="relative" onMouseLeave={() => setUnder(null)}>
            <div style={{ ...FILLED, flexDirection: 'column', justifyContent: 'space-between' }}>
              {lines.map((line) => (
                <div key={line} style={{ borderTop: '1px dashed var(--mantine-color-default-border)' }} />
              ))}
            </div>
            <div style={FILLED}>
              {bars.map((bar, i) => (
                <div key={i} style={{ flex: '1 1 0', minWidth: 0 }} onMouseEnter={() => setUnder(bar)}>
                  <Box h="100%" w="80%" maw={72} mx="auto" style={{ display: 'flex', flexDirection: 'column-reverse' }}>
                    {parts.map((part, nth) => (
                      <div key={part.name} style={{ height: `${((bar.values[nth] ?? 0) / top) * 100}%`, background: partColor(part) }} />
                    ))}
                  </Box>
                </div>
              ))}
            </div>
          </Box>
        </Tooltip.Floating>
        <span />
        <BarNames bars={bars} />
      </Box>
      <PartsLegend parts={parts} />
    </Box>
  );
}

const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);

/** Round grid lines from 0 to at least the largest sum. */
function linesFor(largest: number): number[] {
  const size = 10 ** Math.floor(Math.log10(Math.max(1, largest / LINES)));
  const step = [1, 2, 5, 10].map((n) => n * size).find((one) => one * LINES >= largest) as number;
  return Array.from({ length: Math.max(1, Math.ceil(largest / step)) + 1 }, (_, i) => i * step);
}
