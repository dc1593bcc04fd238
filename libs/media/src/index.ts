export { MediaDownloads, type FileRange } from './downloads';
export type { FileStore } from './file-store';
export { openFileStore } from './open-file-store';
export { mediaSettings } from './settings';
