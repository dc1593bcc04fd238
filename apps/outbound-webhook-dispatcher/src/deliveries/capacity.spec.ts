import type { Attempt } from './attempt';
import { capacityBeside } from './capacity';
import { DeliveriesStore, type Expansion } from './deliveries.store';
import { sent, startDispatching, type Dispatching } from './dispatch.fixture';

const NOW = 10_000;
const MB = 1024 * 1024;

interface Receiver {
  business: number;
  webhook: number;
  host: number;
}

const attemptTo = ({ business, webhook, host }: Receiver, bytes: number, ageMs = 0): Attempt => ({
  id: '1',
  webhook_id: `${business}${webhook}`,
  business_id: String(business),
  ordering_key: 'conversation:1',
  event_id: 'e',
  body: '',
  seq: null,
  previous_seq: null,
  bytes,
  attempt: 1,
  url: `https://host${host}/hook`,
  secret_sealed: null,
  old_secret_sealed: null,
  traceparent: null,
  manual: false,
  worker: 'w',
  claimedAt: NOW - ageMs,
  lost_workers: 0,
});

/** Random numbers below a bound, the same ones for a seed. */
function randomFrom(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * bound);
  };
}

describe('the room for deliveries that an expansion starts itself (decision 247)', () => {
  it('leaves each share its size, in any order', () => {
    for (let seed = 0; seed < 500; seed++) {
      const random = randomFrom(seed);
      const webhooks = 1 + random(9);
      const isHost = random(2) === 0;
      // All that matter have the same business or the same host.
      const receiver = (n: number): Receiver =>
        isHost ? { business: 1_000 + n, webhook: 1, host: 1 } : { business: 1, webhook: random(webhooks), host: 1_000 + n };
      const ageMs = random(3) === 0 ? 2_000 : 0;
      const bytes = random(3) === 0 ? MB / 4 : 900;
      const running = Array.from({ length: random(isHost ? 140 : 70) }, (_, n) => attemptTo(receiver(n), bytes, ageMs));
      const othersAgeMs = random(2) === 0 ? 2_000 : 0;
      for (let n = random(500); n > 0; n--) running.push(attemptTo({ business: 2_000 + n, webhook: 1, host: 2_000 + n }, 900, othersAgeMs));
      const { direct, crowded } = capacityBeside(running, NOW);
      const webhook = random(webhooks);
      for (let begun = 0; begun < direct.attempts; begun++) {
        // The last place takes all bytes that are left.
        const next = attemptTo({ ...receiver(3_000 + begun), webhook }, begun === direct.attempts - 1 ? direct.bytes - 7_000 : 1_000);
        const host = next.url.split('/')[2] as string;
        const isCrowded = [
          crowded.webhooks.includes(next.webhook_id),
          crowded.businesses.includes(next.business_id),
          crowded.hosts.includes(host),
        ];
        if (isCrowded.includes(true)) continue;
        const { claims, full } = capacityBeside(running, NOW);
        const isFull = [full.webhooks.includes(next.webhook_id), full.businesses.includes(next.business_id), full.hosts.includes(host)];
        expect([seed, claims > 0, ...isFull]).toEqual([seed, true, false, false, false]);
        running.push(next);
      }
    }
  });

  it('offers none while few places, or few bytes, are free', () => {
    const many = (count: number, bytes = 1) =>
      Array.from({ length: count }, (_, n) => attemptTo({ business: n, webhook: 1, host: n }, bytes));
    expect(capacityBeside(many(400), NOW).direct.attempts).toBe(8);
    expect(capacityBeside(many(450), NOW).direct.attempts).toBe(0);
    expect(capacityBeside(many(12, MB), NOW).direct.attempts).toBe(0);
  });
});

describe('the places of a process (guarantees N1, N2)', () => {
  it('are bounded while one business after another begins to hang, and each leaves three quarters of them', () => {
    const hangs = (business: number, n: number, ageMs: number) => attemptTo({ business, webhook: n, host: n }, 900, ageMs);
    // Alone a business gets 64 places.
    const running = Array.from({ length: 24 * 64 }, (_, n) => hangs(Math.floor(n / 64), n, 2_000));
    for (let business = 24; business < 40; business++) {
      for (;;) {
        const { claims, full } = capacityBeside(running, NOW);
        if (claims === 0 || full.businesses.includes(String(business))) break;
        running.push(hangs(business, running.length, 0));
      }
      for (const attempt of running) attempt.claimedAt = NOW - 2_000;
    }
    expect(capacityBeside(running, NOW).claims).toBeGreaterThan(0);
    expect(running.length).toBeGreaterThan(2_000);
    expect(running.length).toBeLessThan(2_048);
    const all = Array.from({ length: 2_048 }, (_, n) => hangs(n, n, 2_000));
    expect(capacityBeside(all, NOW).claims).toBe(0);
  });
});

describe('an expansion', () => {
  const WORKER = 'worker';
  let dispatching: Dispatching;
  const expand = async (count: number, running: Attempt[] = [], text = 'Hi'): Promise<Expansion> => {
    const events = Array.from({ length: count }, (_, n) => sent(n, { text }));
    return new DeliveriesStore(dispatching.harness.db).expand(events, capacityBeside(running, NOW), WORKER);
  };

  beforeEach(async () => {
    dispatching = await startDispatching();
    await dispatching.harness.db.query(`INSERT INTO dispatch.workers VALUES ($1, now() + interval '1 hour')`, [WORKER]);
  });
  afterEach(() => dispatching.harness.close());

  it('starts eight deliveries itself, and leaves all of more to the claim that compares shares', async () => {
    const [webhook = 0] = await dispatching.store(['http://127.0.0.1:9/']);
    const eight = await expand(8);
    expect([eight.claimed.length, eight.due, eight.urgent]).toEqual([8, false, false]);
    expect(eight.claimed.map(({ webhook_id, bytes }) => [webhook_id, bytes])).toEqual(
      eight.claimed.map(({ body }) => [String(webhook), Buffer.byteLength(body)]),
    );
    await dispatching.harness.db.query('TRUNCATE dispatch.inbox, dispatch.deliveries, dispatch.lanes');
    const nine = await expand(9);
    expect([nine.claimed.length, nine.due, nine.urgent]).toEqual([0, true, true]);
    const claimed = await new DeliveriesStore(dispatching.harness.db).claim(capacityBeside([], NOW), WORKER, '0');
    expect(claimed).toHaveLength(9);
  });

  it('leaves a delivery to the claim if its webhook is crowded, and does not hurry it if the webhook is full', async () => {
    const [webhook = 0] = await dispatching.store(['http://127.0.0.1:9/']);
    const busy = (count: number) =>
      Array.from({ length: count }, () => ({ ...attemptTo({ business: 1, webhook: 1, host: 1 }, 1), webhook_id: String(webhook) }));
    const crowded = await expand(1, busy(9));
    expect([crowded.claimed.length, crowded.due, crowded.urgent]).toEqual([0, true, true]);
    await dispatching.harness.db.query('TRUNCATE dispatch.inbox, dispatch.deliveries, dispatch.lanes');
    const full = await expand(1, busy(16));
    expect([full.claimed.length, full.due, full.urgent]).toEqual([0, true, false]);
  });

  it('leaves large bodies to the claim', async () => {
    await dispatching.store(['http://127.0.0.1:9/']);
    const large = await expand(2, [], 'x'.repeat(0.6 * MB));
    expect([large.claimed.length, large.due, large.urgent]).toEqual([0, true, true]);
  });
});
