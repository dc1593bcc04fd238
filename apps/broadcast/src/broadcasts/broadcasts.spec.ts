import {
  CancelBroadcast,
  CheckBroadcast,
  CheckDailyCap,
  CheckRetry,
  CreateBroadcast,
  GatewayError,
  ListRecipients,
  RetryBroadcast,
  SendTemplate,
  type Sender,
} from '@mgw/contracts';
import type { Harness } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { Broadcasts, sendInState } from '../../test/broadcasts.fixture';
import { service } from '../main';
import { REPORTS_LOCK } from '../running/reports.store';

const draft = { business_id: 1, template_name: 'offer', language: 'en', scheduled_at: null, timezone: 'UTC', daily_limit: 1_000 };

describe('spec §10: templates of a broadcast', () => {
  let harness: Harness;
  beforeAll(async () => {
    ({ harness } = await Broadcasts.start({ header_format: 'GIF' }));
    await harness.run(service);
  });
  afterAll(() => harness.close());

  it('platform §1.4: refuses a template with a GIF header before any recipient', async () => {
    const recipients = [{ line: 1, phone: '12015550100', body_params: [], header_params: [] }];
    const check = harness.rpc.call(CheckBroadcast, { ...draft, recipients });
    await expect(check).rejects.toMatchObject({
      error_code: 'VALIDATION_FAILED',
      message: expect.stringContaining('GIF header') as string,
      extras: { details: [{ field: 'template_name' }] },
    });
  });
});

describe('decisions 55, 380: the daily limit of recipients', () => {
  let broadcasts: Broadcasts;
  /** Two days from now, so that no midnight comes between. */
  const scheduled_at = new Date(Date.now() + 2 * 86_400_000).toISOString();
  const limited = { scheduled_at, daily_limit: 5 };
  beforeAll(async () => {
    broadcasts = await Broadcasts.start();
    await broadcasts.harness.run(service);
  });
  afterAll(() => broadcasts.harness.close());

  const left = async (other: object = {}) => {
    const recipients = [{ line: 1, phone: '12015550100', body_params: [], header_params: [] }];
    const request = { ...draft, ...limited, recipients, ...other };
    return (await broadcasts.harness.rpc.call(CheckBroadcast, request)).daily_limit;
  };

  it('the check shows what is left, a creation beyond it sends nothing, and broadcasts at once never pass it together', async () => {
    const midnight = `${new Date(Date.parse(scheduled_at) + 86_400_000).toISOString().slice(0, 10)}T00:00:00.000Z`;
    expect(await left()).toEqual({ limit: 5, used: 0, left: 5, resets_at: midnight });
    const attempts = await Promise.allSettled([1, 2, 3, 4].map(() => broadcasts.create(2, limited)));
    const refused = attempts.filter((attempt) => attempt.status === 'rejected').map(({ reason }) => reason as unknown);
    expect(refused).toHaveLength(2);
    expect(refused[0]).toMatchObject({ error_code: 'BROADCAST_LIMIT_REACHED', extras: { limit: 5, used: 4, resets_at: midnight } });
    expect(await left()).toMatchObject({ used: 4, left: 1 });
    // Neither another day nor another business counts.
    expect(await left({ scheduled_at: null })).toMatchObject({ used: 0 });
    expect(await left({ business_id: 2 })).toMatchObject({ used: 0 });
  });

  it('decision 732: a start that has passed is refused and creates nothing, while a replay and a clock that is behind are accepted', async () => {
    const { harness } = broadcasts;
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
    const past = { business_id: 6, scheduled_at: minutesAgo(6) };
    const refused = { error_code: 'VALIDATION_FAILED', extras: { details: [{ field: 'scheduled_at' }] } };
    await expect(broadcasts.create(1, past)).rejects.toMatchObject(refused);
    await expect(left(past)).rejects.toMatchObject(refused);
    expect(await harness.db.query('SELECT FROM broadcast.broadcasts WHERE business_id = 6')).toEqual([]);
    const idempotency = { key: 'past', fingerprint: 'f' };
    const id = await broadcasts.create(1, { ...past, idempotency, scheduled_at: minutesAgo(4) });
    expect(await broadcasts.create(1, { ...past, idempotency })).toBe(id);
  });

  it('decision 621: the check counts valid people who opted out, and where the others are', async () => {
    const phones = ['12015550100', '919876543210', '12015550101', '12'];
    const recipients = phones.map((phone, i) => ({ line: i + 1, phone, body_params: [], header_params: [] }));
    broadcasts.isSuppressed = (phone) => phone === '12015550100';
    const request = { ...draft, recipients };
    const checked = await broadcasts.harness.rpc.call(CheckBroadcast, request);
    expect(checked).toMatchObject({ total: 4, wrong: 1, suppressed: 1 });
    expect(checked.markets?.map(({ market, count }) => [market, count]).sort()).toEqual([
      ['1', 1],
      ['91', 1],
    ]);
    broadcasts.isSuppressed = () => {
      throw new GatewayError('OVERLOADED', 'Later.');
    };
    expect(await broadcasts.harness.rpc.call(CheckBroadcast, request)).toMatchObject({ total: 4, suppressed: null });
  });

  it('a cancelled broadcast counts only the people it tried to reach', async () => {
    const other = { ...limited, business_id: 3 };
    const id = await broadcasts.create(5, other);
    expect(await left(other)).toMatchObject({ left: 0 });
    await broadcasts.harness.rpc.call(CancelBroadcast, { business_id: 3, id });
    expect(await left(other)).toMatchObject({ left: 5 });
    // Attempts that had begun end after the cancellation.
    await broadcasts.harness.db.query(
      `UPDATE broadcast.recipients SET state = (ARRAY['sending', 'unclear', 'sent', 'failed', 'pending'])[nth], due_at = 'infinity' WHERE broadcast_id = $1`,
      [id],
    );
    await broadcasts.harness.db.query('UPDATE broadcast.broadcasts SET sent = 1, failed = 1 WHERE id = $1', [id]);
    expect(await left(other)).toMatchObject({ used: 4, left: 1 });
    // Nobody waits for an attempt that the broadcast will not make (decision 747).
    expect(await broadcasts.get(id, 3)).toMatchObject({ waiting: 0 });
    expect((await broadcasts.recipients(id, 3)).at(-1)).toMatchObject({ state: 'pending', next_attempt_at: null });
  });

  it('decision 24: a repeated request gets its broadcast even when the limit is used up', async () => {
    const idempotency = { key: 'k', fingerprint: 'f' };
    const other = { ...limited, business_id: 4, idempotency };
    expect(await broadcasts.create(5, other)).toBe(await broadcasts.create(5, other));
    const recipients = [{ line: 1, phone: '12015550100', body_params: [], header_params: [] }];
    const more = { ...draft, ...other, idempotency: null, recipients, name: 'b', plan: 'Growth' };
    await expect(broadcasts.harness.rpc.call(CreateBroadcast, more)).rejects.toMatchObject({ error_code: 'BROADCAST_LIMIT_REACHED' });
  });
});

describe('guarantees §10, N2: many creations of one business at once', () => {
  let broadcasts: Broadcasts;
  beforeEach(async () => {
    broadcasts = await Broadcasts.start();
    await broadcasts.harness.run(service);
  });
  afterEach(() => broadcasts.harness.close());

  const create = (business_id: number) =>
    broadcasts.create(1, { business_id, scheduled_at: new Date(Date.now() + 86_400_000).toISOString() });

  it('delay no other business while another replica creates one; the first is refused after a while, the others follow', async () => {
    const { db } = broadcasts.harness;
    let attempts: Promise<number>[] = [];
    await db.transaction(
      async (tx) => {
        // Stands for another replica.
        await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('broadcast.create:1', 0))`);
        attempts = Array.from({ length: 24 }, () => create(1));
        const first = Promise.any(
          attempts.map((attempt) =>
            attempt.then(
              () => Promise.reject(new Error('created')),
              (error: unknown) => error,
            ),
          ),
        );
        const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`;
        await eventually(async () => (await db.query(waiting)).length > 0);
        const others = Promise.all([2, 3, 4].map(create)).then(() => 'created');
        expect(await Promise.race([others, first])).toBe('created');
        expect(await db.query(waiting)).toHaveLength(1);
        expect(await first).toMatchObject({ error_code: 'RATE_LIMITED', message: expect.stringContaining('Nothing was sent') as string });
      },
      { mayPause: true },
    );
    const outcomes = await Promise.allSettled(attempts);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(23);
  });

  it('all succeed on two replicas', async () => {
    await broadcasts.harness.run(service);
    expect(new Set(await Promise.all(Array.from({ length: 16 }, () => create(1)))).size).toBe(16);
  });
});

describe('decision 364: a broadcast of an API key', () => {
  let broadcasts: Broadcasts;
  beforeAll(async () => {
    broadcasts = await Broadcasts.start();
    await broadcasts.harness.run(service);
  });
  afterAll(() => broadcasts.harness.close());

  it('spec §8: is refused beyond the cap of its key, charged to it, and replayed without another check', async () => {
    const { harness } = broadcasts;
    const checked: object[] = [];
    let left = 2;
    harness.respond(CheckDailyCap, ({ messages, at, sender }) => {
      checked.push({ messages, at, sender });
      if (messages > left) throw new GatewayError('DAILY_LIMIT_REACHED', 'Too many.', { daily_limit: 5 });
      return {};
    });
    const senders: Sender[] = [];
    harness.respond(SendTemplate, ({ sender, to }) => {
      senders.push(sender);
      return { message_id: `wamid.${to}`, phone: to, replayed: false };
    });
    const charged = { api_key_id: 9, daily_limit: 5 };
    await expect(broadcasts.create(3, { charged })).rejects.toMatchObject({
      error_code: 'DAILY_LIMIT_REACHED',
      extras: { daily_limit: 5 },
    });
    const row = (line: number, phone: string) => ({ line, phone, body_params: [], header_params: [] });
    const check = (recipients: ReturnType<typeof row>[]) =>
      harness.rpc.call(CheckBroadcast, { ...draft, plan: 'Growth', charged, recipients });
    const three = [row(1, '12015550100'), row(2, '12015550101'), row(3, '12015550102')];
    await expect(check(three)).rejects.toMatchObject({ error_code: 'DAILY_LIMIT_REACHED', extras: { daily_limit: 5 } });
    expect(await check(three.slice(1))).toMatchObject({ total: 2, wrong: 0 });
    // A creation reports wrong rows first.
    expect(await check([...three, row(4, '12')])).toMatchObject({ total: 4, wrong: 1 });
    const idempotency = { key: 'api-key:9:k', fingerprint: 'f' };
    const id = await broadcasts.create(2, { charged, idempotency });
    left = 0;
    expect(await broadcasts.create(2, { charged, idempotency })).toBe(id);
    expect(checked).toEqual(
      [3, 3, 2, 2].map((messages) => ({ messages, at: null, sender: { ...charged, plan: 'Growth', timezone: 'UTC' } })),
    );
    await eventually(async () => (await broadcasts.get(id)).broadcast.status === 'completed');
    expect(senders).toHaveLength(2);
    // With a space it equals no Idempotency-Key of a caller.
    for (const sender of senders)
      expect(sender).toMatchObject({ sent_by: 'broadcast', ...charged, idempotency: { key: expect.stringContaining(' ') as string } });
  });
});

describe('spec §10: the values of headers and buttons', () => {
  let broadcasts: Broadcasts;
  beforeAll(async () => {
    broadcasts = await Broadcasts.start({ header_format: 'DOCUMENT', button_parameters: [{ index: 0, takes: 'coupon' }] });
    await broadcasts.harness.run(service);
  });
  afterAll(() => broadcasts.harness.close());

  it('are sent, shown in a download, and copied to a retry', async () => {
    const { harness } = broadcasts;
    const values: string[][] = [];
    harness.respond(SendTemplate, ({ button_params }) => {
      values.push(button_params);
      throw new GatewayError('PLATFORM_REFUSED', 'No.');
    });
    const link = 'https://example.com/a.pdf';
    const recipients = [[link], [link, 'a.pdf']].map((header_params, i) => ({
      line: i + 1,
      phone: broadcasts.phoneOf(i),
      body_params: [],
      header_params,
      button_params: ['SAVE 10'],
    }));
    const id = await broadcasts.create(2, { recipients });
    await eventually(async () => (await broadcasts.get(id)).broadcast.status === 'completed');
    const page = { business_id: 1, id, limit: 1, cursor: null, state: null, values: true };
    const { next_cursor: cursor, ...first } = await harness.rpc.call(ListRecipients, page);
    expect(first).toMatchObject({
      recipients: [{ header_params: [link], button_params: ['SAVE 10'] }],
      value_counts: { header_params: 2, body_params: 0, button_params: 1 },
    });
    expect(await harness.rpc.call(ListRecipients, { ...page, cursor })).not.toHaveProperty('value_counts');
    const request = { business_id: 1, id, plan: 'Growth', timezone: 'UTC', daily_limit: 20_000, idempotency: null };
    await harness.rpc.call(RetryBroadcast, request);
    await eventually(() => values.length === 4);
    expect(values).toEqual(Array(4).fill(['SAVE 10']));
    await expect(broadcasts.create(1)).rejects.toMatchObject({ error_code: 'VALIDATION_FAILED' });
  });
});

describe('decision 451: retrying the failed recipients', () => {
  let broadcasts: Broadcasts;
  const written: string[] = [];
  const outcomes = new Map<string, 'PLATFORM_REFUSED' | 'OUTCOME_UNKNOWN' | 'RECIPIENT_SUPPRESSED'>();
  beforeAll(async () => {
    broadcasts = await Broadcasts.start();
    broadcasts.harness.respond(SendTemplate, ({ to }) => {
      written.push(to);
      const outcome = outcomes.get(to);
      if (outcome) throw new GatewayError(outcome, 'No.');
      return { message_id: `wamid.${to}`, phone: to, replayed: false };
    });
    await broadcasts.harness.run(service);
  });
  afterAll(() => broadcasts.harness.close());

  const retry = async (id: number, other: object = {}) =>
    broadcasts.harness.rpc.call(RetryBroadcast, {
      ...{ business_id: 1, id, plan: 'Growth', timezone: 'UTC', daily_limit: 20_000, idempotency: null },
      ...other,
    });
  const ended = (id: number) => eventually(async () => (await broadcasts.get(id)).broadcast.status === 'completed');

  it('writes once to those who definitely failed, and never to those with an unclear or unconfirmed message', async () => {
    outcomes.set(broadcasts.phoneOf(1), 'PLATFORM_REFUSED');
    outcomes.set(broadcasts.phoneOf(2), 'OUTCOME_UNKNOWN').set(broadcasts.phoneOf(3), 'OUTCOME_UNKNOWN');
    broadcasts.findSend = sendInState('unconfirmed');
    const id = await broadcasts.create(4, { name: 'x'.repeat(100) });
    await eventually(async () => (await broadcasts.get(id)).broadcast.failed === 3);
    await ended(id);
    expect(await broadcasts.get(id)).toMatchObject({ retryable: 1 });
    await expect(retry(id, { business_id: 2 })).rejects.toMatchObject({ error_code: 'NOT_FOUND' });
    await expect(retry(id, { daily_limit: 0 })).rejects.toMatchObject({ error_code: 'BROADCAST_LIMIT_REACHED' });
    outcomes.clear();
    written.length = 0;
    const idempotency = { key: 'again', fingerprint: 'f' };
    const { id: second } = await retry(id, { idempotency });
    expect(await retry(id, { idempotency })).toEqual({ id: second, replayed: true });
    await ended(second);
    expect(written).toEqual([broadcasts.phoneOf(1)]);
    expect((await broadcasts.get(second)).broadcast).toMatchObject({ retry_of: id, sent: 1, name: `${'x'.repeat(92)} (retry)` });
    await expect(retry(id)).rejects.toMatchObject({ error_code: 'CONFLICT' });
    await expect(retry(second)).rejects.toMatchObject({ error_code: 'CONFLICT' });
  });

  it('refuses one whose template takes other values now', async () => {
    const { harness } = broadcasts;
    outcomes.set(broadcasts.phoneOf(0), 'PLATFORM_REFUSED').set(broadcasts.phoneOf(1), 'PLATFORM_REFUSED');
    const id = await broadcasts.create(2);
    await ended(id);
    await harness.db.query(`UPDATE broadcast.recipients SET body_params = '{Asha}' WHERE broadcast_id = $1 AND nth = 2`, [id]);
    await expect(retry(id)).rejects.toMatchObject({ error_code: 'VALIDATION_FAILED', extras: { details: [{ field: 'template_name' }] } });
    expect(await broadcasts.get(id)).toMatchObject({ retryable: 2 });
  });

  it('decision 775: waits for no report of a status, whose recipient is left for another retry', async () => {
    const { harness } = broadcasts;
    outcomes.clear();
    outcomes.set(broadcasts.phoneOf(0), 'PLATFORM_REFUSED').set(broadcasts.phoneOf(1), 'PLATFORM_REFUSED');
    const id = await broadcasts.create(2);
    await ended(id);
    outcomes.clear();
    written.length = 0;
    const second = await harness.db.transaction(
      async (tx) => {
        // Stands for a report that is being applied.
        await tx.query(`SELECT pg_advisory_xact_lock(hashtext('${REPORTS_LOCK}'))`);
        await tx.query('SELECT FROM broadcast.recipients WHERE broadcast_id = $1 AND nth = 1 FOR NO KEY UPDATE', [id]);
        return (await retry(id)).id;
      },
      { mayPause: true },
    );
    await ended(second);
    expect(written).toEqual([broadcasts.phoneOf(1)]);
    expect((await broadcasts.get(second)).broadcast).toMatchObject({ total_recipients: 1, sent: 1 });
    expect(await broadcasts.get(id)).toMatchObject({ retryable: 1 });
    await ended((await retry(id)).id);
    expect(written).toEqual([broadcasts.phoneOf(1), broadcasts.phoneOf(0)]);
  });

  it('decision 621: never takes people who opted out, before their message or since; the check shows how many and what is left', async () => {
    const check = (of: number, other: object = {}) =>
      broadcasts.harness.rpc.call(CheckRetry, { business_id: 1, id: of, timezone: 'UTC', daily_limit: 20_000, ...other });
    const [optedOut, since, failed] = [0, 1, 2].map((i) => broadcasts.phoneOf(i)) as [string, string, string];
    outcomes.clear();
    outcomes.set(optedOut, 'RECIPIENT_SUPPRESSED').set(since, 'PLATFORM_REFUSED').set(failed, 'PLATFORM_REFUSED');
    const id = await broadcasts.create(4);
    await ended(id);
    broadcasts.isSuppressed = (phone) => phone === since;
    expect(await broadcasts.get(id)).toMatchObject({ retryable: 2 });
    const { daily_limit, ...checked } = await check(id);
    expect(checked).toEqual({ total: 1, suppressed: 1, category: 'MARKETING', markets: [{ market: '1', count: 1 }] });
    expect(daily_limit.left).toBe(20_000 - daily_limit.used);
    await expect(check(id, { business_id: 2 })).rejects.toMatchObject({ error_code: 'NOT_FOUND' });
    outcomes.clear();
    written.length = 0;
    const { id: second } = await retry(id);
    await expect(check(second)).rejects.toMatchObject({ error_code: 'CONFLICT' });
    await ended(second);
    expect(written).toEqual([failed]);
    await expect(retry(id)).rejects.toMatchObject({ error_code: 'CONFLICT' });
    broadcasts.isSuppressed = () => false;
  });

  it('refuses a broadcast that has not ended', async () => {
    const id = await broadcasts.create(1, { scheduled_at: new Date(Date.now() + 86_400_000).toISOString() });
    await expect(retry(id)).rejects.toMatchObject({ error_code: 'CONFLICT', message: 'This broadcast has not ended yet.' });
  });
});
