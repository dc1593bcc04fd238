/** A part of every bar, the lowest first. @param color from the theme, with its shade: `green-6` */
export interface Part {
  name: string;
  color: string;
}
export interface Bar {
  name: string;
  /** One value for each part. */
  values: number[];
}
