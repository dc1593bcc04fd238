import { EventEmitter, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { eventually } from '@mgw/testing';
import { SlowReaders } from './slow-readers';

class Response extends EventEmitter {
  destroyed = false;
  req = { socket: { destroy: () => undefined } };
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

  it('closes the connection of a pipelined response, which waits for the one before it', async () => {
    const readers = new SlowReaders(100);
    let requests = 0;
    const server = createServer((_, response) => {
      requests += 1;
      if (requests === 2) readers.track(response, 'a', 200);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const reader = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    reader.resume().write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(2));
    await eventually(() => reader.closed);
    expect(requests).toBe(2);
    server.close();
  });
});
