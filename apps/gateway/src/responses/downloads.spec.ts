import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { StreamableFile } from '@nestjs/common';
import { Downloads } from './downloads';

const PAGE = 64 * 1024;
const MINUTE_MS = 60_000;

describe('decision 602: a download ends by the pace of its reader', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate', 'performance'] }));
  afterEach(() => jest.useRealTimers());

  async function* endless() {
    for (;;) yield await Promise.resolve('x'.repeat(PAGE));
  }
  const open = (downloads: Downloads): Readable => {
    const file = downloads.stream('1', endless(), { type: 'text/csv', filename: 'list.csv' }) as unknown as StreamableFile;
    return file.getStream();
  };
  const take = async (stream: Readable) => {
    while (!stream.destroyed && stream.read(PAGE) === null) await once(stream, 'readable');
    // The next page is there as soon as this one was taken.
    while (!stream.destroyed && stream.readableLength < PAGE) await new Promise((resume) => setImmediate(resume));
  };

  it('goes on while its reader reads, however slowly', async () => {
    const stream = open(new Downloads()).on('error', () => undefined);
    for (let minutes = 0; minutes < 60; minutes += 4) {
      await take(stream);
      jest.advanceTimersByTime(4 * MINUTE_MS);
    }
    expect(stream.destroyed).toBe(false);
    stream.destroy();
  });

  it('ends when its reader takes nothing for five minutes, and makes room for another', async () => {
    const downloads = new Downloads();
    const streams = [open(downloads), open(downloads)];
    for (const stream of streams) await take(stream);
    expect(() => open(downloads)).toThrow('Too many downloads');
    const faults = Promise.all(streams.map((stream) => new Promise<Error>((resolve) => stream.once('error', resolve))));
    jest.advanceTimersByTime(5 * MINUTE_MS);
    expect((await faults).map(({ message }) => message)).toEqual(Array(2).fill('the reader of a download stopped reading'));
    while (!streams.every(({ closed }) => closed)) await new Promise((resume) => setImmediate(resume));
    const next = open(downloads);
    next.destroy();
  });
});
