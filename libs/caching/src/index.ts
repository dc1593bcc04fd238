export { atMost } from './at-most';
export { RefreshingCache, type RefreshingCacheOptions } from './refreshing-cache';
export { RefreshedValue, type RefreshedValueOptions } from './refreshed-value';
