import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { tuneRuntime } from './runtime';

describe('the runtime of a service', () => {
  const before = AsyncResource.prototype.bind;
  beforeAll(tuneRuntime);
  afterAll(() => void (AsyncResource.prototype.bind = before));

  function bindable(this: unknown, first: number, second: number) {
    return [this, first, second, store.getStore()];
  }
  const store = new AsyncLocalStorage<string>();

  it('a bound function has no accessor, which would give it a hidden class of its own', () => {
    const bound = store.run('here', () => new AsyncResource('test').bind(bindable));
    expect(Object.getOwnPropertyNames(bound)).not.toContain('asyncResource');
    expect(bound).toHaveLength(2);
  });

  it('runs in the context of its binding, with the arguments of its call', () => {
    const bound = store.run('here', () => new AsyncResource('test').bind(bindable));
    const owner = { bound };
    expect(store.run('elsewhere', () => owner.bound(1, 2))).toEqual([owner, 1, 2, 'here']);
    const owned = store.run('here', () => AsyncResource.bind(bindable, 'test', owner));
    expect(owned(1, 2)).toEqual([owner, 1, 2, 'here']);
  });

  it('throws to its caller', () => {
    const bound = new AsyncResource('test').bind(() => {
      throw new Error('thrown');
    });
    expect(() => bound()).toThrow('thrown');
  });
});
