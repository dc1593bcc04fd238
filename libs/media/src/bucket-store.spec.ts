import { text } from 'node:stream/consumers';
import { startReceiver } from '@mgw/testing';
import { BucketStore } from './bucket-store';

describe('decision 401: a bucket', () => {
  it('is read for longer than it may take to respond', async () => {
    const server = await startReceiver();
    const store = new BucketStore(new URL('/files', server.url.replace('//', '//id:secret@')), 1_000);
    server.respond((_, response) => {
      response.writeHead(206, { 'content-length': 2 }).write('a');
      setTimeout(() => response.end('b'), 1_500);
    });
    try {
      expect(await text(await store.open('1/2', { first: 0, last: 1 }))).toBe('ab');
    } finally {
      store.close();
      await server.close();
    }
  });
});
