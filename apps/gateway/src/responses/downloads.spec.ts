import { EventEmitter, once } from 'node:events';
import type { Readable } from 'node:stream';
import type { StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { PeopleController } from '../people/people.controller';
import { templateList } from '../templates/template-list';
import { Downloads } from './downloads';
import { PacedStreams } from './paced-streams';

const PAGE = 64 * 1024;
const MINUTE_MS = 60_000;

/** One business may have two of the eight downloads, and half of the template lists. */
describe.each([
  ['602: a download', { places: 2, opener: downloads }],
  ['767: a template list', { places: 4, opener: () => openList }],
])('decision %s ends by the pace of its reader', (_, { places, opener }) => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate', 'performance'] }));
  afterEach(() => jest.useRealTimers());

  const take = async (stream: Readable) => {
    while (!stream.destroyed && stream.read(PAGE) === null) await once(stream, 'readable');
    // The next page is there as soon as this one was taken.
    while (!stream.destroyed && stream.readableLength < PAGE) await new Promise((resume) => setImmediate(resume));
  };

  it('goes on while its reader reads, however slowly', async () => {
    const stream = (await opener()('1')).on('error', () => undefined);
    for (let minutes = 0; minutes < 60; minutes += 4) {
      await take(stream);
      jest.advanceTimersByTime(4 * MINUTE_MS);
    }
    expect(stream.destroyed).toBe(false);
    stream.destroy();
    await once(stream, 'close');
  });

  it('ends when its reader takes nothing for five minutes, and makes room for another', async () => {
    const open = opener();
    const streams = await Promise.all(Array.from({ length: places }, () => open('1')));
    for (const stream of streams) await take(stream);
    await expect(open('1')).rejects.toThrow('are in progress');
    const faults = Promise.all(streams.map((stream) => new Promise<Error>((resolve) => stream.once('error', resolve))));
    jest.advanceTimersByTime(5 * MINUTE_MS);
    expect((await faults).map(({ message }) => message)).toEqual(Array(places).fill('the reader stopped reading'));
    while (!streams.every(({ closed }) => closed)) await new Promise((resume) => setImmediate(resume));
    (await open('1')).destroy();
  });

  /** Each business takes all that it gets, until nothing is left. The first streams are business 1's. */
  const takeAll = async (open: (holder: string) => Promise<Readable>) => {
    const streams: Readable[] = [];
    for (let business = 1; streams.length < 8; business++) {
      for (let refused = false; !refused;) {
        const stream = await open(String(business)).catch(() => null);
        if (stream) streams.push(stream.on('error', () => undefined));
        refused = stream === null;
        // Lets streams of an earlier test close.
        await new Promise((resume) => setImmediate(resume));
      }
    }
    for (const stream of streams) await take(stream);
    return streams;
  };

  it('ends when it is the slowest of its business, which then gets its place although others have taken the rest', async () => {
    const open = opener();
    const streams = await takeAll(open);
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 25_000);
    for (const stream of streams.slice(1)) await take(stream);
    const newer = await open('1');
    expect(streams.map(({ destroyed }) => destroyed)).toEqual(streams.map((_, n) => n === 0));
    await expect(open('1')).rejects.toThrow('are in progress');
    for (const stream of [...streams, newer]) stream.destroy();
    clock.mockRestore();
  });

  it('ends when it is the slowest of all, and another business finds no place', async () => {
    const open = opener();
    const streams = await takeAll(open);
    await expect(open('newcomer')).rejects.toThrow('are in progress');
    const begun = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(begun + 19_000);
    for (const stream of streams.filter((_, n) => n !== 3)) await take(stream);
    clock.mockReturnValue(begun + 25_000);
    const newcomers = [await open('newcomer')];
    expect(streams.map(({ destroyed }) => destroyed)).toEqual(streams.map((_, n) => n === 3));
    await expect(open('another newcomer')).rejects.toThrow('are in progress');
    for (const stream of [...streams, ...newcomers]) stream.destroy();
    clock.mockRestore();
  });
});

it('decision 761: a stream whose texts take long to produce, but whose reader does not, keeps its place', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'] });
  const streams = new PacedStreams('exports', { places: 1, largest: 1 });
  const slow = (async function* () {
    for (let n = 0; n < 10; n++) {
      jest.advanceTimersByTime(10_000);
      yield 'a few bytes\n';
    }
    await new Promise(() => undefined);
  })();
  const stream = streams.open('1', slow).resume();
  for (let lines = 0; lines < 10; lines++) await new Promise((resume) => setImmediate(resume));
  expect(() => streams.open('2', slow)).toThrow('are in progress');
  expect(stream.destroyed).toBe(false);
  stream.destroy();
  jest.useRealTimers();
});

it('decision 761: a stream whose last texts wait for its reader gives way although all of them are produced', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'] });
  const streams = new PacedStreams('exports', { places: 1, largest: 1 });
  let isProduced = false;
  const short = (async function* () {
    yield await Promise.resolve('a few bytes\n');
    isProduced = true;
  })();
  const stream = streams.open('1', short);
  stream.read(0);
  while (!isProduced) await new Promise((resume) => setImmediate(resume));
  jest.advanceTimersByTime(19_000);
  expect(() => streams.open('2', short)).toThrow('are in progress');
  jest.advanceTimersByTime(2_000);
  streams.open('2', short).destroy();
  expect(stream.destroyed).toBe(true);
  jest.useRealTimers();
});

it('decision 602: an export of a person keeps no place if its audit entry cannot be stored', async () => {
  const audit = { add: jest.fn().mockRejectedValue(new Error('no database')) };
  const rpc = { call: () => Promise.resolve({ rows: [], next_cursor: null }) };
  const people = new PeopleController(rpc as never, audit as never, {} as never, {} as never, new Downloads());
  const user = { user_id: 1, business_id: 1 } as never;
  for (let n = 0; n < 3; n += 1) {
    await expect(people.export(user, '12015550100')).rejects.toThrow('no database');
    // A destroyed stream closes once its pending callbacks have run.
    await new Promise((resume) => setImmediate(resume));
  }
});

function downloads() {
  async function* endless() {
    for (;;) yield await Promise.resolve('x'.repeat(PAGE));
  }
  const all = new Downloads();
  return (holder: string): Promise<Readable> =>
    Promise.resolve().then(() => {
      const file = all.stream(holder, endless(), { type: 'text/csv', filename: 'list.csv' }) as unknown as StreamableFile;
      return file.getStream();
    });
}

async function openList(holder: string): Promise<Readable> {
  const request = { user: { user_id: 1, business_id: Number(holder) } };
  const reply = { request, raw: new EventEmitter(), type: () => undefined } as unknown as FastifyReply;
  const page = { templates: ['x'.repeat(PAGE)], next_cursor: 'more' };
  return (await templateList(reply, () => Promise.resolve(page))) as unknown as Readable;
}
