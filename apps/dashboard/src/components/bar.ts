/** A part of every bar, the lowest first. */
export interface Part {
  name: string;
  /** From the theme, with its shade: `green-6`. */
  color: string;
  /** The color in the dark, if another one. */
  dark?: string;
}
export interface Bar {
  name: string;
  /** The text below the bar. Without any mark, some of the names are there. */
  mark?: string | undefined;
  /** One value for each part. */
  values: number[];
}
