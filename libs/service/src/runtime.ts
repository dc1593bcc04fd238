import { AsyncResource } from 'node:async_hooks';
import { setFlagsFromString } from 'node:v8';

/**
 * Changes two defaults of Node.js that keep every request in memory until a collection of the old generation, and slow down collections of
 * the young one. Call it in a service's process before the start.
 */
export function tuneRuntime(): void {
  // V8 allocates objects that often survive a collection in the old generation. In a server these belong to requests, and a dead one keeps
  // the rest of its request in memory.
  setFlagsFromString('--no-allocation-site-pretenuring');
  if ('asyncResource' in new AsyncResource('probe').bind(() => undefined))
    AsyncResource.prototype.bind = bind as typeof AsyncResource.prototype.bind;
}

/**
 * Enables the behaviour of Node.js 25. Earlier versions give a bound function the accessor `asyncResource` (DEP0172), and thereby a hidden
 * class in the old generation that keeps the request. Fastify binds a function for every body that it reads.
 */
function bind<This, Args extends unknown[], R>(this: AsyncResource, fn: (this: This, ...args: Args) => R, thisArg?: This) {
  const run = (on: This, args: Args): R => this.runInAsyncScope(fn, on, ...args);
  function bound(this: This, ...args: Args): R {
    return run(thisArg === undefined ? this : thisArg, args);
  }
  return Object.defineProperty(bound, 'length', { value: fn.length });
}
