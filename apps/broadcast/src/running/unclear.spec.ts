import { FindSends, gatewayMessageId, GatewayError, SendTemplate, type ErrorCode, type FoundSend, type RequestOf } from '@mgw/contracts';
import { statusEvent } from '@mgw/harness';
import { eventually, sideBySide } from '@mgw/testing';
import { Broadcasts, sendInState } from '../../test/broadcasts.fixture';
import { service } from '../main';
import { RunsStore } from './runs.store';

const refused = (messageId: string): FoundSend => {
  const send = sendInState('refused')(messageId);
  return send && { ...send, failure_reason: '131050: The person opted out of marketing messages.' };
};

async function start() {
  const broadcasts = await Broadcasts.start();
  const { harness } = broadcasts;
  /** Refusals by phone number; all other sends are accepted. */
  const refusals = new Map<string, () => never>();
  const sends: { to: string; intent: string }[] = [];
  harness.respond(SendTemplate, ({ to, sender }) => {
    sends.push({ to, intent: sender.intent_id ?? 'none' });
    refusals.get(to)?.();
    return { message_id: `wamid.${to}`, phone: to, replayed: false };
  });
  return {
    broadcasts,
    harness,
    refusals,
    sends,
    unclear: (nth: number, code: ErrorCode = 'OUTCOME_UNKNOWN') =>
      refusals.set(broadcasts.phoneOf(nth), () => {
        throw new GatewayError(code, 'It gave no clear response.');
      }),
    stateOf: async (id: number, nth: number) => (await broadcasts.recipients(id))[nth],
    becomes: (status: string, id: number) => eventually(async () => (await broadcasts.get(id)).broadcast.status === status),
    sendsTo: (nth: number) => sends.filter(({ to }) => to === broadcasts.phoneOf(nth)),
  };
}

const test = sideBySide(start, ({ harness }) => harness.close());

describe('guarantees §1, S2: a recipient with an unknown outcome', () => {
  test('does not delay its broadcast or the next one, and a status callback resolves it afterwards', async ({
    broadcasts,
    harness,
    refusals,
    sends,
    unclear,
    stateOf,
    becomes,
    sendsTo,
  }) => {
    unclear(0);
    broadcasts.findSend = sendInState('unknown');
    await harness.run(service);
    const id = await broadcasts.create(3);
    await eventually(async () => (await broadcasts.get(id)).broadcast.unclear === 1);
    expect((await broadcasts.get(id)).broadcast).toMatchObject({ sent: 2, failed: 0, pending: 0, status: 'running' });
    expect(await stateOf(id, 0)).toMatchObject({ state: 'unclear', message_id: gatewayMessageId(sends[0]?.intent ?? '') });
    // The next broadcast may use the number while this one has nothing left to send.
    refusals.clear();
    const next = await broadcasts.create(2);
    await becomes('completed', next);
    expect((await broadcasts.get(id)).broadcast.status).toBe('running');
    await broadcasts.advanceTime(60);
    await becomes('completed', id);
    const [, event] = await eventually(async () => {
      const published = await harness.published('broadcast.completed');
      return published.length === 2 && published;
    });
    expect(event?.data).toMatchObject({ total_recipients: 3, sent: 2, failed: 0 });
    broadcasts.findSend = sendInState('accepted');
    await broadcasts.advanceTime(60);
    await eventually(async () => (await stateOf(id, 0))?.state === 'sent');
    expect((await broadcasts.get(id)).broadcast).toMatchObject({ status: 'completed', sent: 3, failed: 0, unclear: 0, pending: 0 });
    expect(sendsTo(0)).toHaveLength(2);
    expect(await harness.published('broadcast.completed')).toHaveLength(2);
  });

  test('decision 26: applies a failure that was reported meanwhile once the message id is known', async ({
    broadcasts,
    harness,
    unclear,
    stateOf,
  }) => {
    unclear(0);
    broadcasts.findSend = sendInState('unknown');
    await harness.run(service);
    const id = await broadcasts.create(1);
    await eventually(async () => (await stateOf(id, 0))?.state === 'unclear');
    const messageId = `wamid.${(await stateOf(id, 0))?.message_id}`;
    await harness.publish(statusEvent(messageId, 'failed', { error: { code: 131026, text: 'Undeliverable' } }));
    await eventually(async () => (await harness.db.query('SELECT FROM broadcast.reports')).length === 1);
    broadcasts.findSend = sendInState('accepted');
    await broadcasts.advanceTime(60);
    await eventually(async () => (await stateOf(id, 0))?.state === 'failed');
    expect((await broadcasts.get(id)).broadcast).toMatchObject({ sent: 0, failed: 1, unclear: 0 });
  });

  test('decision 450: counts a delivery that was reported long after its broadcast ended, before the message id was known', async ({
    broadcasts,
    harness,
    unclear,
    stateOf,
    becomes,
  }) => {
    unclear(0);
    broadcasts.findSend = sendInState('unknown');
    await harness.run(service);
    const id = await broadcasts.create(1);
    await eventually(async () => (await stateOf(id, 0))?.state === 'unclear');
    const messageId = `wamid.${(await stateOf(id, 0))?.message_id}`;
    await broadcasts.advanceTime(60);
    await becomes('completed', id);
    await harness.db.query(`UPDATE broadcast.broadcasts SET finished_at = finished_at - interval '1 hour'`);
    await harness.publish(statusEvent(messageId, 'delivered'));
    const { consumers } = await harness.nc.jetstreamManager();
    await eventually(async () => {
      const { num_pending, num_ack_pending } = await consumers.info('PLATFORM', 'broadcast-statuses');
      return num_pending + num_ack_pending === 0;
    });
    broadcasts.findSend = sendInState('accepted');
    await broadcasts.advanceTime(600);
    await eventually(async () => (await stateOf(id, 0))?.state === 'sent');
    expect(await broadcasts.get(id)).toMatchObject({ delivered: 1, broadcast: { sent: 1, unclear: 0 } });
  });

  test('guarantees §10, N2: thousands of one business are queried a hundred at a time, and those of others apart', async ({
    broadcasts,
    harness,
  }) => {
    const queries: RequestOf<typeof FindSends>[] = [];
    harness.nc.subscribe(FindSends.subject, { callback: (_, message) => queries.push(message.json()) });
    broadcasts.findSend = sendInState('accepted');
    const add = async (business_id: number, recipients: number) => {
      const [row] = await harness.db.query<{ id: string }>(
        `INSERT INTO broadcast.broadcasts (business_id, name, template_name, language, plan, timezone, status, total, started_at, finished_at)
         VALUES ($1, 'b', 'offer', 'en', 'Growth', 'UTC', 'completed', $2, now(), now()) RETURNING id`,
        [business_id, recipients],
      );
      await harness.db.query(
        `INSERT INTO broadcast.recipients (broadcast_id, nth, phone, body_params, header_params, state, attempts, attempted_at, intent_id)
         SELECT $1, n, $3, '{}', '{}', 'unclear', 1, now(), gen_random_uuid() FROM generate_series(1, $2::integer) n`,
        [row?.id, recipients, broadcasts.phoneOf(0)],
      );
      return Number(row?.id);
    };
    const [large, small] = [await add(1, 1_000), await add(2, 1)];
    await harness.run(service);
    await eventually(async () => (await broadcasts.get(large)).broadcast.sent === 1_000);
    expect((await broadcasts.get(small, 2)).broadcast).toMatchObject({ sent: 1, unclear: 0 });
    const sends = (id: number) => queries.filter(({ business_id }) => business_id === id).map(({ message_ids }) => message_ids.length);
    expect([sends(1).length <= 11, Math.max(...sends(1)), sends(2)]).toEqual([true, 100, [1]]);
  });

  for (const code of ['DEADLINE_EXCEEDED', 'REPLY_LOST', 'INTERNAL', 'IDEMPOTENCY_IN_FLIGHT'] as const) {
    test(`after ${code} queries the send service, and resends only what that never received`, async ({
      broadcasts,
      harness,
      refusals,
      sends,
      unclear,
      becomes,
      sendsTo,
    }) => {
      unclear(0, code);
      unclear(1, code);
      await harness.run(service);
      const id = await broadcasts.create(2);
      await eventually(async () => (await broadcasts.get(id)).broadcast.unclear === 2);
      refusals.clear();
      broadcasts.findSend = (messageId) =>
        messageId === gatewayMessageId(sendsTo(0)[0]?.intent ?? '') ? sendInState('accepted')(messageId) : null;
      await broadcasts.advanceTime(40);
      await becomes('completed', id);
      expect((await broadcasts.get(id)).broadcast).toMatchObject({ sent: 2, failed: 0, unclear: 0 });
      expect([sendsTo(0).length, sendsTo(1).length]).toEqual([1, 2]);
      expect(new Set(sends.map(({ intent }) => intent)).size).toBe(3);
    });
  }

  test('fails after its broadcast has ended if it was never sent, or after 24 hours without a status', async ({
    broadcasts,
    harness,
    sends,
    unclear,
    becomes,
    sendsTo,
  }) => {
    unclear(0);
    unclear(1);
    broadcasts.findSend = sendInState('unknown');
    await harness.run(service);
    const id = await broadcasts.create(2);
    await eventually(async () => (await broadcasts.get(id)).broadcast.unclear === 2);
    await broadcasts.advanceTime(60);
    await becomes('completed', id);
    broadcasts.findSend = (messageId) =>
      messageId === gatewayMessageId(sendsTo(0)[0]?.intent ?? '') ? sendInState('unconfirmed')(messageId) : null;
    await broadcasts.advanceTime(600);
    await eventually(async () => (await broadcasts.get(id)).broadcast.failed === 2);
    expect((await broadcasts.recipients(id)).map(({ reason }) => reason)).toEqual([
      'WhatsApp did not confirm this message within 24 hours: most likely it was not sent.',
      'The message could not be sent: the service was interrupted.',
    ]);
    expect(sends).toHaveLength(2);
  });

  for (const [what, found, reason] of [
    ['the send service never received it', () => null, 'The message could not be sent: the service was interrupted.'],
    ['WhatsApp refused it', refused, '131050: The person opted out of marketing messages.'],
  ] as [string, (id: string) => FoundSend, string][]) {
    test(`fails if its broadcast completes while the send service is queried, and ${what}`, async ({
      broadcasts,
      harness,
      sends,
      unclear,
      stateOf,
      becomes,
    }) => {
      unclear(0);
      broadcasts.findSend = sendInState('unknown');
      await harness.run(service);
      const id = await broadcasts.create(2);
      const isIdle = `SELECT FROM broadcast.broadcasts WHERE idle_until > now() + interval '10 seconds'`;
      await eventually(async () => (await harness.db.query(isIdle)).length === 1);
      let respond = (): void => undefined;
      const responds = new Promise<void>((resolve) => (respond = resolve));
      let queried = false;
      broadcasts.findSend = async (messageId) => {
        queried = true;
        await responds;
        return found(messageId);
      };
      // Only the query is due; the broadcast stays idle until it has begun.
      await harness.db.query(
        `UPDATE broadcast.recipients SET attempted_at = attempted_at - interval '1 minute', due_at = now() WHERE state = 'unclear'`,
      );
      await eventually(() => queried);
      await harness.db.query('UPDATE broadcast.broadcasts SET idle_until = now()');
      await becomes('completed', id);
      respond();
      await eventually(async () => (await stateOf(id, 0))?.state !== 'unclear');
      expect(await stateOf(id, 0)).toMatchObject({ state: 'failed', reason });
      expect((await broadcasts.get(id)).broadcast).toMatchObject({ status: 'completed', sent: 1, failed: 1, unclear: 0, pending: 0 });
      expect(sends).toHaveLength(2);
    });
  }

  test('keeps its broadcast running if it becomes pending while another transaction completes that', async ({ harness }) => {
    await harness.db.query(
      `WITH b AS (
         INSERT INTO broadcast.broadcasts (business_id, name, template_name, language, plan, timezone, status, total)
         VALUES (1, 'b', 'offer', 'en', 'Growth', 'UTC', 'running', 1) RETURNING id
       )
       INSERT INTO broadcast.recipients (broadcast_id, nth, phone, body_params, header_params, state, attempted_at)
       SELECT id, 1, '12015551000', '{}', '{}', 'unclear', now() - interval '1 hour' FROM b`,
    );
    const [row] = await harness.db.query<{ id: string }>('SELECT id FROM broadcast.broadcasts');
    const id = Number(row?.id);
    let completed: Promise<boolean> | undefined;
    await harness.db.transaction(
      async (tx) => {
        // A change of the counters, as in every transaction that records how an attempt ended.
        await tx.query('UPDATE broadcast.broadcasts SET sent = sent WHERE id = $1', [id]);
        await tx.query(`UPDATE broadcast.recipients SET state = 'pending' WHERE broadcast_id = $1`, [id]);
        completed = new RunsStore(harness.db).complete(id);
        const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        await eventually(async () => (await harness.db.query(waiting)).length > 0);
      },
      { mayPause: true },
    );
    expect(await completed).toBe(false);
    expect((await harness.db.query(`SELECT FROM broadcast.broadcasts WHERE status = 'running'`)).length).toBe(1);
  });
});
