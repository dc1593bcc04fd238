export { Batcher, QueueFullError, type BatcherOptions } from './batcher';
