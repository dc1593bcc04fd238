const UNITS = ['B', 'kB', 'MB'];

export function formatBytes(size: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, size)) / 3));
  return `${Number((size / 1000 ** power).toFixed(power === 0 ? 0 : 1))} ${UNITS[power]}`;
}
