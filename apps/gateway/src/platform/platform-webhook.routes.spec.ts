import { createLogger } from '@mgw/telemetry';
import { eventually } from '@mgw/testing';
import { fastify, type FastifyInstance } from 'fastify';
import { platformWebhookRoutes } from './platform-webhook.routes';

describe('callbacks of the platform at the edge (platform §4)', () => {
  const MEGABYTES_3 = Buffer.alloc(3 * 1024 * 1024, ' ');
  let server: FastifyInstance;
  let asked: number;
  let answer: () => void;

  beforeEach(() => {
    asked = 0;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const call = async () => {
      asked += 1;
      await answered;
      return { status: 200 };
    };
    server = fastify();
    platformWebhookRoutes(server, { call } as never, createLogger('gateway', 'silent'));
  });
  afterEach(() => server.close());

  const post = async (payload: Buffer) => (await server.inject({ method: 'POST', url: '/webhooks/whatsapp', payload })).statusCode;

  it('guarantees §6: when too many bytes of them wait for their answer one more is 503, so that the platform sends it again', async () => {
    const statuses: number[] = [];
    const posts = Array.from({ length: 14 }, () => post(MEGABYTES_3).then((status) => statuses.push(status)));
    await eventually(() => asked + statuses.length === 14);
    expect([asked, statuses]).toEqual([10, [503, 503, 503, 503]]);
    answer();
    await Promise.all(posts);
    expect(statuses.slice(4)).toEqual(Array(10).fill(200));
    expect(await post(MEGABYTES_3)).toBe(200);
  });

  it('platform §4.2: one of more than 3 MB is 413', async () => {
    expect(await post(Buffer.concat([MEGABYTES_3, Buffer.from('x')]))).toBe(413);
    expect(asked).toBe(0);
  });
});
