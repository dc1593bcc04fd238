import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { ROOT } from '../stack';

const href = (name: string) => pathToFileURL(join(ROOT, `tools/prove/${name}.mjs`)).href;

/** Consistent logs of all witnesses: two messages to a customer, one from the customer, and a broadcast of one. */
const GOOD = {
  sends: ['one', 'two'].map((token, i) => ({ token, responses: [{ at: i, status: 200, message_id: `wamid.${token}` }] })),
  reads: [
    { begun: 1, ended: 2, message_id: 'wamid.one', status: 'sent' },
    { begun: 3, ended: 4, message_id: 'wamid.one', status: 'read' },
  ],
  calls: ['one', 'two', 'three'].map((token) => ({ token, id: `wamid.${token}`, status: 200 })),
  callbacks: [
    ...['sent', 'read', 'delivered'].map((status) => ({ kind: 'status', id: 'wamid.one', status })),
    { kind: 'message', id: 'wamid.in', from: '12035550001' },
  ],
  receipts: ['one', 'in', 'two', 'one.delivered', 'one.read', 'three'].map((name) => ({
    webhook: 'steady',
    event_id: `event.${name}`,
    conversation: name === 'three' ? 2 : 1,
    status: 200,
    at: 1,
    same_bytes: true,
  })),
  webhooks: [{ id: 1, name: 'steady', mode: 'ok', business_id: 1, fail_count: 0 }],
  keys: [{ id: 7, cap: 10 }],
  intents: ['one', 'two'].map((id) => ({ id, state: 'accepted', api_key_id: 7, usage_day: '2026-01-01' })),
  usage: [{ api_key_id: 7, day: '2026-01-01', used: 2 }],
  records: [
    { message_id: 'wamid.one', status: 'read' },
    { message_id: 'wamid.two', status: 'sent' },
    { message_id: 'wamid.three', status: 'sent' },
  ],
  deliveries: ['one', 'in', 'two', 'one.delivered', 'one.read', 'three', 'end'].map((name) => ({
    webhook_id: 1,
    event_id: `event.${name}`,
    state: name === 'end' ? 'failed' : 'succeeded',
  })),
  events: [
    ...['one', 'in', 'two', 'three'].map((name, seq) => ({
      event_id: `event.${name}`,
      seq,
      created: seq * 10_000,
      subject: name === 'in' ? 'public.message.received' : 'public.message.sent',
      message_id: `wamid.${name}`,
      business_id: 1,
    })),
    ...['delivered', 'read'].map((status, seq) => ({
      event_id: `event.one.${status}`,
      seq,
      created: seq * 10_000,
      subject: 'public.message.status',
      outbox: 'status',
      message_id: 'wamid.one',
      status,
      business_id: 1,
    })),
    { event_id: 'event.end', seq: 9, subject: 'public.broadcast.completed', business_id: 1, broadcast_id: '5' },
  ],
  broadcasts: [{ id: 5, tokens: ['three', 'unclear'], status: 'completed', total: 2, sent: 1, failed: 0, unclear: 1 }],
  republished: [{ at: 1_000, process: 'send', stream: 'PUBLIC', again: 3 }],
  deaths: [],
  faults: [{ name: 'wipe nats', at: 900, until: 950 }],
  unfinished: {},
};
// The last delivery failed at its receiver.
GOOD.webhooks = GOOD.webhooks.map((webhook) => ({ ...webhook, fail_count: 1 }));

describe('npm run prove', () => {
  /** The failed checks by sabotage; `none` is without one. */
  let failed: Record<string, string[]>;
  let expected: Record<string, string>;

  beforeAll(async () => {
    const script = `import { check } from '${href('check')}';
      import { SABOTAGE } from '${href('sabotage')}';
      const failed = (falsify) => {
        const run = ${JSON.stringify(GOOD)};
        falsify(run);
        return check(run).filter(({ wrong }) => wrong.length > 0).map(({ name }) => name);
      };
      const all = Object.entries(SABOTAGE);
      console.log(JSON.stringify({
        failed: { none: failed(() => undefined), ...Object.fromEntries(all.map(([name, { falsify }]) => [name, failed(falsify)])) },
        expected: Object.fromEntries(all.map(([name, { check }]) => [name, check])),
        checks: check(${JSON.stringify(GOOD)}).map(({ name }) => name),
      }));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    const result = JSON.parse(stdout) as { failed: typeof failed; expected: typeof expected; checks: string[] };
    ({ failed, expected } = result);
    // Every check has a sabotage that fails it.
    expect(new Set(Object.values(expected))).toEqual(new Set(result.checks));
  });

  it('passes if all witnesses agree', () => {
    expect(failed['none']).toEqual([]);
  });

  it('fails the check of each sabotage', () => {
    const missed = Object.entries(expected).filter(([name, check]) => !failed[name]?.includes(check));
    expect(missed).toEqual([]);
  });

  it('chooses the same faults for the same seed', async () => {
    const script = `import { Random } from '${href('random')}';
      import { faults } from '${href('faults')}';
      const chosen = (seed) => new Random(seed).shuffled(Object.keys(faults())).join();
      console.log(chosen(1) === chosen(1), chosen(1) === chosen(2), Object.keys(faults()).length > 60);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    expect(stdout.trim()).toBe('true false true');
  });
});
