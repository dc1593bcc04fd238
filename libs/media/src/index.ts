export { MediaDownloads, type DownloadedFile, type FileRange } from './downloads';
export { mediaSettings } from './settings';
