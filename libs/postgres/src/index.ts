export { Database, type DatabaseOptions, type Tx } from './database';
export { RELAXED_CONNECTIONS } from './options';
export { runMigrations } from './migrations';
export { pageOf, readCursor } from './cursor';
export { isAboutValues } from './about-values';
export { onRow } from './on-row';
export { pruneBatch, type AgedRows } from './prune';
export { divideByMonth, uniteMonths } from './divide';
export { dropMonths, makeMonths, restOver, startOfMonth, type MonthlyTable } from './months';
