export { MediaDownloads, type DownloadedFile, type FileRange } from './downloads';
export { openFileStore, type FileStore } from './file-store';
export { mediaSettings } from './settings';
