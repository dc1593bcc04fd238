/** A part of every bar, the lowest first. @param color from the theme, with its shade: `green-6` */
export interface Part {
  name: string;
  color: string;
}
export interface Bar {
  name: string;
  /** The text below the bar. Without any mark, some of the names are there. */
  mark?: string | undefined;
  /** One value for each part. */
  values: number[];
}
