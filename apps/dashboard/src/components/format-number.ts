export const number = (value: number): string => new Intl.NumberFormat('en').format(value);
export const percent = (part: number, whole: number): string => (whole === 0 ? '–' : `${Math.round((part / whole) * 100)} %`);
