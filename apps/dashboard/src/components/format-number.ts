export const number = (value: number): string => new Intl.NumberFormat('en').format(value);
/** Shows neither 0 % of some nor 100 % of less than all. */
export const percent = (part: number, whole: number): string => {
  if (whole === 0) return '–';
  const rounded = Math.round((part / whole) * 100);
  if (rounded === 0 && part > 0) return '< 1 %';
  if (rounded === 100 && part < whole) return '> 99 %';
  return `${rounded} %`;
};
/** With one digit after the point, for rates that are near 100 % or 0 %. */
export const rate = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${new Intl.NumberFormat('en', { maximumFractionDigits: 1 }).format((part / whole) * 100)} %`;
/** `1 message`, `61 messages` */
export const counted = (value: number, noun: string): string => `${number(value)} ${noun}${value === 1 ? '' : 's'}`;
/** `1 person`, `61 people` */
export const peopleCounted = (value: number): string => `${number(value)} ${value === 1 ? 'person' : 'people'}`;
/** The verb after a count. */
export const isOrAre = (value: number): string => (value === 1 ? 'is' : 'are');
