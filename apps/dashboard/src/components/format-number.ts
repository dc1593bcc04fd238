export const number = (value: number): string => new Intl.NumberFormat('en').format(value);
export const percent = (part: number, whole: number): string => (whole === 0 ? '–' : `${Math.round((part / whole) * 100)} %`);
/** With one digit after the point, for rates that are near 100 % or 0 %. */
export const rate = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${new Intl.NumberFormat('en', { maximumFractionDigits: 1 }).format((part / whole) * 100)} %`;
/** `1 message`, `61 messages` */
export const counted = (value: number, noun: string): string => `${number(value)} ${noun}${value === 1 ? '' : 's'}`;
