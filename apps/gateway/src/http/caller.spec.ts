import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createLogger } from '@mgw/telemetry';
import type { FastifyReply } from 'fastify';
import { RequestLog } from '../request-log/request-log.service';
import type { RequestLogStore } from '../request-log/request-log.store';
import { networkOf, type AuthenticatedRequest } from './caller';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** The last address of an X-Forwarded-For header, cut from it as @fastify/proxy-addr does. */
function lastOf(address: string): string {
  const header = Buffer.from(`${'x'.repeat(50_000)}, ${address}`).toString();
  return header.slice(header.lastIndexOf(' ') + 1);
}

/** Bytes of memory that the addresses of a thousand headers take. */
function bytesKept(keep: (address: string, nth: number) => void): number {
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < 1_000; n++) keep(lastOf(`2001:db8:1234:5678::abcd:${n.toString(16)}`), n);
  collect();
  return process.memoryUsage().heapUsed - before;
}

describe('guarantees N1: an address is kept without the header that named it', () => {
  it('with its network', () => {
    expect(bytesKept(networkOf)).toBeLessThan(10_000_000);
  });

  it('in the request log', async () => {
    const log = new RequestLog(
      { add: async () => undefined, close: () => undefined } as unknown as RequestLogStore,
      createLogger('gateway', 'silent'),
    );
    const reply = { statusCode: 429, elapsedTime: 1 } as FastifyReply;
    const fail = (ip: string, nth: number) => {
      const user = { api_key_id: nth, api_key_name: 'CRM', sends_as: nth, business: { id: nth } };
      const routeOptions = { url: '/api/v1/send-text' };
      log.add({ id: 'req', method: 'POST', ip, routeOptions, user } as unknown as AuthenticatedRequest, reply);
    };
    expect(bytesKept(fail)).toBeLessThan(10_000_000);
    await log.onApplicationShutdown();
  });
});
