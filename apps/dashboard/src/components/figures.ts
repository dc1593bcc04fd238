// Beside bits.tsx for the frame of every page, whose first load need not hold all of that.
export const number = (value: number): string => new Intl.NumberFormat('en').format(value);
export const percent = (part: number, whole: number): string => (whole === 0 ? '–' : `${Math.round((part / whole) * 100)} %`);
