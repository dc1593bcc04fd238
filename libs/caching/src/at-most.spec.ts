import { LRUCache } from 'lru-cache';
import { atMost } from './at-most';

it('a cache of at most two entries drops the one that was used least recently', () => {
  const cache = new LRUCache<string, number>(atMost(2));
  cache.set('a', 1).set('b', 2);
  cache.get('a');
  cache.set('c', 3);
  expect([...cache.keys()].sort()).toEqual(['a', 'c']);
});
