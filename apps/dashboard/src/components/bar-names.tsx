import type { Bar } from './bar';

/** The number of names that fit, even at 320 px. */
const NAMES = 4;

/** The line of names below bars: their marks, or else the name of every few bars. */
export function BarNames({ bars }: { bars: Bar[] }) {
  const every = Math.ceil(bars.length / NAMES);
  const hasMarks = bars.some(({ mark }) => mark !== undefined);
  return (
    <div style={{ display: 'flex' }}>
      {bars.map(({ name, mark }, i) => (
        <div key={i} style={{ flex: '1 1 0', minWidth: 0, display: 'flex', justifyContent: 'center', whiteSpace: 'nowrap' }}>
          {hasMarks ? mark : i % every === 0 && name}
        </div>
      ))}
    </div>
  );
}
