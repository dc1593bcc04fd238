import { startHarness, type Harness } from '@mgw/harness';
import { service } from '../main';
import type { Attempt } from './attempt';
import { admission, capacityBeside, roomForAny, type Capacity } from './capacity';

const ADMITTED = `WITH candidate AS (
    SELECT business_id, webhook_id, host, bytes, id, id AS age
    FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[]) WITH ORDINALITY AS c (business_id, webhook_id, host, bytes, id)
  ), ${admission({ claims: '$5::integer', free: '$6::integer', freeBytes: '$7::bigint', freeSlow: '$8::integer', busy: '$9' })}
  SELECT count(*)::integer AS admitted FROM admitted`;
const NOW = 10_000;

/** decision 682: the short way admits nothing that the shares of businesses, webhooks and hosts would refuse (guarantees §10, N2). */
describe('room for deliveries of one event', () => {
  let harness: Harness;
  beforeAll(async () => (harness = await startHarness(service)));
  afterAll(() => harness.close());

  /** @returns how many deliveries of business 1 to different webhooks the rules admit */
  const admitted = async ({ claims, free, freeBytes, freeSlow, busy }: Capacity, webhooks: string[], hosts: string[], bytes: number) => {
    const list = <T>(value: T) => webhooks.map(() => value);
    const values = [list('1'), webhooks, hosts, list(bytes), claims, free, freeBytes, freeSlow, JSON.stringify(busy)];
    return (await harness.db.query<{ admitted: number }>(ADMITTED, values))[0]?.admitted;
  };

  it('is never more than the rules admit, whatever is in progress', async () => {
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const rooms: number[] = [];
    for (let round = 0; round < 300; round++) {
      const bytes = 1 + random(200_000);
      const running = Array.from({ length: random(2 * round + 1) }, () => ({
        webhook_id: String(random(60)),
        business_id: String(1 + random(8)),
        url: `https://${random(4)}.example/`,
        bytes: random(60_000),
        claimedAt: NOW - random(1_001),
      }));
      const capacity = capacityBeside(running as Attempt[], NOW);
      const { webhooks, businesses, hosts } = capacity.full;
      const room = businesses.includes('1') ? 0 : roomForAny(capacity, '1', bytes);
      const host = ['0.example', '1.example', '2.example', '3.example'].find((name) => !hosts.includes(name));
      // Webhooks in progress come first, and they may share one host.
      const free = Array.from({ length: 200 }, (_, i) => String(i)).filter((id) => !webhooks.includes(id));
      const chosen = free.slice(0, host === undefined ? 0 : room);
      rooms.push(chosen.length);
      expect(
        await admitted(
          capacity,
          chosen,
          chosen.map(() => host as string),
          bytes,
        ),
      ).toBe(chosen.length);
    }
    expect(Math.max(...rooms)).toBeGreaterThan(20);
    expect(rooms.filter((room) => room === 0).length).toBeGreaterThan(10);
  });

  it('is none for a business with a slow attempt', () => {
    const slow = { webhook_id: '1', business_id: '1', url: 'https://a.example/', bytes: 1, claimedAt: NOW - 1_000 };
    const capacity = capacityBeside([slow] as Attempt[], NOW);
    expect([roomForAny(capacity, '1', 1), roomForAny(capacity, '2', 1)]).toEqual([0, expect.any(Number)]);
    expect(roomForAny(capacity, '2', 1)).toBeGreaterThan(0);
  });
});
