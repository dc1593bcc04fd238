import { AsyncResource } from 'node:async_hooks';
import { setFlagsFromString } from 'node:v8';

/**
 * Changes two defaults of Node.js that keep every request in memory long after its answer: until the old generation is collected,
 * with its cost for each collection of the young one. For the process of a service, before it starts.
 */
export function tuneRuntime(): void {
  // V8 puts what often outlives a collection into the old generation at once. In a server that is what requests under way consist of:
  // dead there, each such object keeps the rest of its request.
  setFlagsFromString('--no-allocation-site-pretenuring');
  if ('asyncResource' in new AsyncResource('probe').bind(() => undefined))
    AsyncResource.prototype.bind = bind as typeof AsyncResource.prototype.bind;
}

/**
 * As in Node.js 25. Until then a bound function also has the accessor `asyncResource` (DEP0172), and with it a hidden class of its own,
 * in the old generation, which holds the request; Fastify binds a function for every body that it reads.
 */
function bind<This, Args extends unknown[], R>(this: AsyncResource, fn: (this: This, ...args: Args) => R, thisArg?: This) {
  const run = (on: This, args: Args): R => this.runInAsyncScope(fn, on, ...args);
  function bound(this: This, ...args: Args): R {
    return run(thisArg === undefined ? this : thisArg, args);
  }
  return Object.defineProperty(bound, 'length', { value: fn.length });
}
