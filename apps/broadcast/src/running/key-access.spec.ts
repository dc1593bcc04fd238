import {
  BusinessChanged,
  CheckDailyCap,
  GatewayError,
  KeyChanged,
  PauseBroadcast,
  ResumeBroadcast,
  SendTemplate,
  type Access,
  type Sender,
} from '@mgw/contracts';
import type { Harness } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { Broadcasts } from '../../test/broadcasts.fixture';
import { service } from '../main';

const RECIPIENTS = 30;
const KEY = 9;
/** The key when the broadcast is created. */
const CREATED = { plan: 'Growth', timezone: 'UTC', charged: { api_key_id: KEY, daily_limit: 150 } };
const NOW: Access = { plan: 'Pro', timezone: 'Asia/Kolkata', daily_limit: 70 };

describe('decision 705: a broadcast by key goes by what holds now', () => {
  let broadcasts: Broadcasts;
  let harness: Harness;
  let access: Access | null;
  let senders: Sender[];
  /** Runs before each send is accepted. */
  let beforeSend: () => Promise<unknown> | void;
  beforeEach(async () => {
    broadcasts = await Broadcasts.start();
    ({ harness } = broadcasts);
    access = NOW;
    senders = [];
    beforeSend = () => undefined;
    broadcasts.findAccess = () => access;
    harness.respond(CheckDailyCap, () => ({}));
    harness.respond(SendTemplate, async ({ sender, to }) => {
      senders.push(sender);
      await beforeSend();
      return { message_id: `wamid.${to}`, phone: to, replayed: false };
    });
    await harness.run(service);
  });
  afterEach(() => harness.close());

  const becomes = (status: string, id: number) =>
    eventually(async () => (await broadcasts.get(id)).broadcast.status === status, { timeoutMs: 60_000 });
  const resume = (id: number) => harness.rpc.call(ResumeBroadcast, { business_id: 1, id });

  it('sends with the plan, time zone and daily limit of now, even when they change while it runs', async () => {
    const limits = () => senders.map(({ plan, timezone, daily_limit }) => ({ plan, timezone, daily_limit }));
    const id = await broadcasts.create(RECIPIENTS, CREATED);
    beforeSend = () => {
      access = { plan: 'Growth', timezone: 'America/New_York', daily_limit: 80 };
      harness.rpc.announce(BusinessChanged, { business_id: 1 });
    };
    await becomes('completed', id);
    expect(limits()[0]).toEqual(NOW);
    expect(limits().at(-1)).toEqual(access);
  });

  it.each<[string, Access | null, string]>([
    ['a revoked key', null, 'INVALID_API_KEY'],
    ['the Starter plan', { ...NOW, plan: 'Starter', daily_limit: 0 }, 'PLAN_NOT_ALLOWED'],
  ])('%s pauses it with the cause, and no recipient fails', async (_, ended, error_code) => {
    const id = await broadcasts.create(RECIPIENTS, CREATED);
    beforeSend = () => {
      access = ended;
      // The key's heir was revoked.
      harness.rpc.announce(KeyChanged, { api_key_id: KEY + 1 });
    };
    await becomes('paused', id);
    await eventually(async () => (await broadcasts.recipients(id)).every(({ state }) => state === 'sent' || state === 'pending'));
    const { broadcast } = await broadcasts.get(id);
    expect(broadcast).toMatchObject({ failed: 0, sent: senders.length, pause_cause: { error_code, hint: expect.any(String) as string } });
    expect(broadcast.pending).toBeGreaterThan(0);
    await resume(id);
    await becomes('paused', id);
    expect(senders).toHaveLength(broadcast.sent);
    access = NOW;
    beforeSend = () => undefined;
    harness.rpc.announce(BusinessChanged, { business_id: 1 });
    await resume(id);
    await becomes('completed', id);
    expect((await broadcasts.get(id)).broadcast).toMatchObject({ sent: RECIPIENTS, failed: 0, pause_cause: null });
    expect(senders).toHaveLength(RECIPIENTS);
  });

  it('decision 747: shows why a recipient waits whose key could not be read, and when the next attempt is', async () => {
    broadcasts.findAccess = () => {
      throw new GatewayError('REPLY_LOST', 'Lost.');
    };
    const id = await broadcasts.create(1, CREATED);
    await eventually(async () => (await broadcasts.get(id)).waiting === 1);
    expect(await broadcasts.recipients(id)).toMatchObject([
      {
        state: 'pending',
        reason: 'OVERLOADED: The gateway did not respond, so nothing was sent.',
        next_attempt_at: expect.stringMatching(/Z$/) as string,
      },
    ]);
    // Idle until an attempt that is far away.
    for (const [table, column] of Object.entries({ recipients: 'due_at', broadcasts: 'idle_until' }))
      await harness.db.query(`UPDATE broadcast.${table} SET ${column} = now() + interval '5 minutes'`);
    await harness.rpc.call(PauseBroadcast, { business_id: 1, id });
    await resume(id);
    await eventually(async () => (await broadcasts.get(id)).waiting === 1);
    expect(await broadcasts.recipients(id)).toMatchObject([{ next_attempt_at: expect.stringMatching(/Z$/) as string }]);
  });

  it('waits while the gateway does not respond, however long, and no recipient fails', async () => {
    const asked = new Set<string>();
    broadcasts.findAccess = () => {
      throw new GatewayError('REPLY_LOST', 'Lost.');
    };
    const id = await broadcasts.create(2, CREATED);
    for (let round = 1; round <= 9; round++) {
      // Each attempt has an intent of its own.
      await eventually(async () => {
        const waiting = await harness.db.query<{ intent_id: string }>(
          `SELECT intent_id FROM broadcast.recipients WHERE state IN ('pending', 'failed') AND intent_id IS NOT NULL`,
        );
        if (waiting.length < 2 || waiting.some(({ intent_id }) => asked.has(intent_id))) return false;
        for (const { intent_id } of waiting) asked.add(intent_id);
        return true;
      });
      expect((await broadcasts.get(id)).broadcast).toMatchObject({ pending: 2, failed: 0 });
      if (round === 9) broadcasts.findAccess = () => NOW;
      await harness.db.query(`UPDATE broadcast.recipients SET due_at = now()`);
      await harness.db.query('UPDATE broadcast.broadcasts SET idle_until = NULL');
    }
    await becomes('completed', id);
    expect((await broadcasts.get(id)).broadcast).toMatchObject({ sent: 2, failed: 0 });
    expect(senders).toHaveLength(2);
  });
});
