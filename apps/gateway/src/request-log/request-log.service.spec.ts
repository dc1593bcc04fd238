import type { Logger } from '@mgw/telemetry';
import type { FastifyReply } from 'fastify';
import type { AuthenticatedRequest } from '../http/caller';
import { RequestLog } from './request-log.service';
import type { RequestLogStore, StoredRequest } from './request-log.store';

describe('how the request log writes (decision 662)', () => {
  let written: { at: number; business: number; request: StoredRequest }[];
  let writes: number;
  let began: number;
  let log: RequestLog;
  let failure: Error | undefined;
  const lines: object[] = [];
  const logger = { warn: (fields: object) => lines.push(fields) } as unknown as Logger;
  beforeEach(() => {
    jest.useFakeTimers();
    [written, writes, began] = [[], 0, Date.now()];
    failure = undefined;
    const add = async (entries: ReadonlyMap<number, StoredRequest[]>) => {
      writes += 1;
      if (failure) throw failure;
      for (const [business, requests] of entries)
        for (const request of requests) written.push({ at: Math.round((Date.now() - began) / 1_000), business, request });
    };
    log = new RequestLog({ add, close: () => undefined } as unknown as RequestLogStore, logger);
  });
  afterEach(() => jest.useRealTimers());

  const fail = (key = 1, status = 429, business = 1) => {
    const user = { api_key_id: key, api_key_name: 'CRM', sends_as: key, business: { id: business } };
    const request = { id: 'req', method: 'POST', ip: '127.0.0.1', routeOptions: { url: '/api/v1/send-text' }, user };
    log.add(request as unknown as AuthenticatedRequest, { statusCode: status, elapsedTime: 1, errorCode: 'RATE_LIMITED' } as FastifyReply);
  };
  const seconds = (count: number) => jest.advanceTimersByTimeAsync(count * 1_000);

  it('decision 792: names the cause in one line a minute while Redis stores nothing', async () => {
    failure = new Error('OOM command not allowed');
    for (let second = 0; second < 30; second++) {
      fail(second);
      await seconds(1);
    }
    expect(writes).toBeGreaterThan(10);
    expect(lines).toEqual([{ err: failure }]);
  });

  it('writes a kind that repeats after longer and longer pauses, and counts every request', async () => {
    for (let second = 0; second < 300; second++) {
      fail();
      await seconds(1);
    }
    expect(written.map(({ at }) => at)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 192, 256]);
    fail(1, 400);
    await log.onApplicationShutdown();
    const counted = written.filter(({ request }) => request.status === 429).reduce((sum, { request }) => sum + request.count, 0);
    expect([counted, written.at(-1)?.request]).toEqual([300, expect.objectContaining({ status: 400, count: 1 })]);
  });

  it('writes single mistakes one by one, and does nothing between them', async () => {
    for (let time = 0; time < 5; time++) {
      fail();
      await seconds(10);
    }
    expect(written.map(({ request }) => request.count)).toEqual([1, 1, 1, 1, 1]);
    expect([writes, jest.getTimerCount()]).toEqual([5, 0]);
  });

  it('guarantees §10, N2: a business with many kinds leaves room to others, and all go in one round trip', async () => {
    for (let key = 1; key <= 500; key++) fail(key);
    fail(1_000, 429, 2);
    await seconds(1);
    expect(writes).toBe(1);
    const countOf = (business: number) => written.filter((one) => one.business === business).length;
    expect(countOf(1)).toBeLessThan(110);
    expect(countOf(2)).toBe(1);
  });
});
