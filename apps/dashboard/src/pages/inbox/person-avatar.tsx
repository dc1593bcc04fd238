import { Box } from '@mantine/core';

const COLORS = [
  ['#fbe3d6', '#8a3c12', '#5a2a12', '#ffd9c4'],
  ['#e0e9fb', '#214a94', '#1d345f', '#cfe0ff'],
  ['#e6f3ea', '#1d6b3c', '#17452a', '#c9efd6'],
  ['#f4e4f6', '#7a2a86', '#4c2053', '#f3d3f8'],
  ['#fdf0cf', '#7a5a05', '#4d3b0c', '#ffe9a8'],
  ['#e0f4f6', '#10636d', '#134348', '#c4eef3'],
] as const;

/** @param name of a person, or a number */
export function PersonAvatar({ name, size = 38 }: { name: string; size?: number }) {
  const [light, text, dark, onDark] =
    COLORS[[...name].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % COLORS.length] ?? COLORS[0];
  return (
    <Box
      aria-hidden
      w={size}
      h={size}
      fz={size / 2.9}
      fw={600}
      bg={`light-dark(${light}, ${dark})`}
      c={`light-dark(${text}, ${onDark})`}
      style={{ borderRadius: '50%', display: 'grid', placeItems: 'center', flexShrink: 0 }}
    >
      {initialsOf(name)}
    </Box>
  );
}

/** The first letters of the first and last word; the country code of a number. */
export function initialsOf(name: string): string {
  if (/^\+?\d/.test(name)) return name.slice(0, 3);
  const words = name.trim().split(/\s+/);
  const first = (word: string | undefined) => [...(word ?? '')][0] ?? '';
  return (first(words[0]) + (words.length > 1 ? first(words.at(-1)) : '')).toUpperCase();
}
