import '@mantine/core/styles/ColorSwatch.css';
import { number } from './format-number';
import type { Bar, Part } from './bar';

export function BarValues({ bar, parts }: { bar: Bar; parts: Part[] }) {
  return (
    <>
      <b>{bar.name}</b>
      {parts.map(({ name }, i) => (
        <div key={name}>
          {name}: {number(bar.values[i] ?? 0)}
        </div>
      ))}
    </>
  );
}
