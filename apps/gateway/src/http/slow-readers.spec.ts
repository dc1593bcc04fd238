import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { SlowReaders } from './slow-readers';

class Response extends EventEmitter {
  destroyed = false;
  destroy() {
    this.destroyed = true;
    this.emit('close');
  }
}
const cutOf = (responses: Response[]) => responses.map(({ destroyed }) => destroyed);

describe('unread responses of slow readers (guarantees N1)', () => {
  const track = (readers: SlowReaders, holder: string, bytes: number): Response => {
    const response = new Response();
    readers.track(response as unknown as ServerResponse, holder, bytes);
    return response;
  };

  it('over the limit the holder with the most unread bytes loses its oldest response', () => {
    const readers = new SlowReaders(100);
    const responses = [track(readers, 'b', 30), track(readers, 'a', 30), track(readers, 'a', 30), track(readers, 'b', 20)];
    expect(cutOf(responses)).toEqual([false, true, false, false]);
  });

  it('a response that was read no longer counts', () => {
    const readers = new SlowReaders(100);
    const taken = track(readers, 'a', 90);
    taken.emit('finish');
    expect(cutOf([taken, track(readers, 'a', 90)])).toEqual([false, false]);
  });
});
