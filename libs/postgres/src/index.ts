export { Batcher, QueueFullError, type BatcherOptions } from './batcher';
export { Database, type DatabaseOptions, type Tx } from './database';
export { runMigrations } from './migrations';
export { pageOf, readCursor } from './cursor';
