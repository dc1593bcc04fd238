export { RefreshingCache, type RefreshingCacheOptions } from './refreshing-cache';
