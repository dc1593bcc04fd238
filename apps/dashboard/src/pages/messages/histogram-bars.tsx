import { Box, Tooltip, UnstyledButton } from '@mantine/core';
import { useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import type { Bar, Part } from '../../components/bar';
import { BarNames } from '../../components/bar-names';
import { BarValues } from '../../components/bar-values';
import { PartsLegend, partColor } from '../../components/parts-legend';
import { number } from '../../components/format-number';
import './histogram-bars.css';

/** In pixels. A few failures stay visible below thousands of messages, because they have a scale of their own. */
const HEIGHT = 76;
const FAILED_HEIGHT = 28;
/** The smallest target that a finger hits (WCAG 2.5.8), in pixels. */
const FINGER = 24;
const MOVES: Record<string, (at: number, last: number) => number> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  Home: () => 0,
  End: (_, last) => last,
};

interface HistogramBarsProps {
  /** The last value of each bar is the failed part. */
  bars: Bar[];
  parts: Part[];
  label: string;
  onChoose: (first: number, last: number) => void;
}

/**
 * Messages above the line, failures below it. A drag over bars chooses their period, and so does a click on one; a touch of narrow bars
 * chooses those below the finger. By keyboard, the arrows move between bars, Shift extends the period, and Enter chooses it.
 */
export function HistogramBars({ bars, parts, label, onChoose }: HistogramBarsProps) {
  const plot = useRef<HTMLDivElement>(null);
  const [under, setUnder] = useState<number | null>(null);
  const [range, setRange] = useState<{ from: number; to: number } | null>(null);
  const [stop, setStop] = useState(0);
  const isDragging = useRef(false);
  const last = bars.length - 1;
  const failedPart = parts.length - 1;
  const failed = parts[failedPart] as Part;
  const othersOf = ({ values }: Bar) => values.slice(0, failedPart).reduce((a, b) => a + b, 0);
  const most = Math.max(1, ...bars.map(othersOf));
  const mostFailed = Math.max(0, ...bars.map(({ values }) => values[failedPart] ?? 0));
  const choose = ({ from, to }: { from: number; to: number }) => {
    setRange(null);
    onChoose(Math.min(from, to), Math.max(from, to));
  };
  const barAt = ({ clientX }: PointerEvent): number => {
    const { left, width } = plot.current?.getBoundingClientRect() ?? { left: 0, width: 1 };
    return within(Math.floor(((clientX - left) / width) * bars.length), last);
  };
  /** The bars at each side of the touched one that the finger covers too. */
  const besideAt = ({ pointerType }: PointerEvent): number => {
    const width = (plot.current?.getBoundingClientRect().width ?? 1) / bars.length;
    return pointerType === 'touch' && width < FINGER ? Math.ceil((FINGER - width) / 2 / width) : 0;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const move = MOVES[event.key];
    if (event.key === 'Escape') setRange(null);
    if (!move) return;
    event.preventDefault();
    const next = within(move(stop, last), last);
    setRange(event.shiftKey ? { from: range?.from ?? stop, to: next } : null);
    setStop(next);
    plot.current?.querySelectorAll('button')[next]?.focus();
  };
  const isChosen = (i: number) => range !== null && i >= Math.min(range.from, range.to) && i <= Math.max(range.from, range.to);
  const shown = under === null ? null : bars[under];
  return (
    <Box role="group" aria-label={label}>
      <Box fz="xs" c="dimmed" style={{ display: 'grid', gridTemplateColumns: 'max-content minmax(0, 1fr)', columnGap: 8, rowGap: 6 }}>
        <Box ta="right" lh={1} style={{ display: 'flex', flexDirection: 'column', justifyContent: 'space-between' }}>
          <span>{number(most)}</span>
          <span title="Most failures of a bar">{mostFailed > 0 ? number(mostFailed) : ''}</span>
        </Box>
        <Tooltip.Floating disabled={!shown} label={shown && <BarValues bar={shown} parts={parts} />}>
          <div
            ref={plot}
            className="histogram-plot"
            onKeyDown={onKeyDown}
            onPointerDown={(event) => {
              if (event.button !== 0) return;
              isDragging.current = true;
              event.currentTarget.setPointerCapture?.(event.pointerId);
              setRange({ from: barAt(event), to: barAt(event) });
            }}
            onPointerMove={(event) => {
              setUnder(barAt(event));
              if (isDragging.current) setRange((now) => now && { ...now, to: barAt(event) });
            }}
            onPointerUp={(event) => {
              const to = barAt(event);
              const beside = range?.from === to ? besideAt(event) : 0;
              if (isDragging.current && range) choose({ from: within(range.from - beside, last), to: within(to + beside, last) });
              isDragging.current = false;
            }}
            onPointerCancel={() => {
              isDragging.current = false;
              setRange(null);
            }}
            onPointerLeave={() => setUnder(null)}
          >
            {bars.map((bar, i) => (
              <UnstyledButton
                key={i}
                className="histogram-bar"
                tabIndex={i === within(stop, last) ? 0 : -1}
                data-chosen={isChosen(i) || undefined}
                aria-label={`${bar.name}: ${parts.map(({ name }, nth) => `${number(bar.values[nth] ?? 0)} ${name}`).join(', ')}`}
                onFocus={() => setStop(i)}
                // The pointer's own clicks are drags over one bar.
                onClick={({ detail }) => detail === 0 && choose(range ?? { from: i, to: i })}
              >
                <Box className="histogram-others" h={HEIGHT}>
                  {parts.slice(0, failedPart).map((part, nth) => (
                    <div key={part.name} style={{ height: `${((bar.values[nth] ?? 0) / most) * 100}%`, background: partColor(part) }} />
                  ))}
                </Box>
                <Box className="histogram-failed" h={FAILED_HEIGHT}>
                  <div style={{ height: heightOfFailed(bar.values[failedPart] ?? 0, mostFailed), background: partColor(failed) }} />
                </Box>
              </UnstyledButton>
            ))}
          </div>
        </Tooltip.Floating>
        <span />
        <BarNames bars={bars} />
      </Box>
      <PartsLegend parts={parts} />
    </Box>
  );
}

const within = (i: number, last: number) => Math.max(0, Math.min(i, last));
/** A single failure stays visible among thousands. */
const heightOfFailed = (count: number, most: number) => (count === 0 ? 0 : Math.max(2, (count / most) * FAILED_HEIGHT));
