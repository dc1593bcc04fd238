export { atMost } from './at-most';
export { RefreshingCache } from './refreshing-cache';
export { RefreshedValue } from './refreshed-value';
