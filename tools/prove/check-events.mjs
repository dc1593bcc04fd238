// Checks that receivers get every event once and in order.
import { accepted, groupBy, isSent, isStatus } from './witness-views.mjs';

/** Relays notice a wiped store at the next connection, or at their next comparison, once a minute. */
const NOTICED_WITHIN_MS = 90_000;
/** Longest time from the deadline of a response to the record of the timeout. */
const LATE_MS = 1_000;

/** Whether the receiver read the request only after the deadline of its response. */
const isLate = ({ reason, finished_at }, { ended_at }) =>
  /no (answer|response) within/.test(reason ?? '') && ended_at > Date.parse(finished_at) - LATE_MS;

/** Whether the last attempt failed: it never arrived, or the response was late or not 200. */
const isKnownFailure = (record, last) => last === undefined || last.status !== 200 || isLate(record, last);

const recordsOf = ({ deliveries, webhooks }) => {
  const names = new Map(webhooks.map(({ id, name }) => [id, name]));
  return new Map(deliveries.map((one) => [`${names.get(one.webhook_id)} ${one.event_id}`, one]));
};

/** Events that one consumer writes, one transaction after the other. */
const isInbound = ({ subject }) => /^public\.(message\.received|conversation\.created)$/.test(subject);
/** Transactions that begin within this time may overlap, and their sequences prove nothing then. */
const OVERLAP_MS = 1_000;

const isLater = (one, other) =>
  (isStatus(one) && isSent(other) && one.message_id === other.message_id) ||
  (one.outbox === other.outbox &&
    one.seq > other.seq &&
    ((isInbound(one) && isInbound(other)) || Math.abs(one.created - other.created) > OVERLAP_MS));

export const EVENT_CHECKS = {
  'broadcasts wrong': (run) => {
    const tokens = new Set(accepted(run).map(({ token }) => token));
    return run.broadcasts
      .filter(({ id }) => id !== null)
      .flatMap((one) => {
        const went = one.tokens.filter((token) => tokens.has(token)).length;
        const ends = run.events.filter(({ broadcast_id }) => Number(broadcast_id) === one.id).length;
        const holds = one.status === 'completed' && one.sent + one.failed + one.unclear === one.total && one.sent === went && ends === 1;
        const counts = `${one.sent} sent, ${one.failed} failed, ${one.unclear} unclear of ${one.total}`;
        return holds ? [] : [`broadcast ${one.id}: ${one.status}, ${counts}, ${went} went, ${ends} events`];
      });
  },
  'events missing at receivers': (run) => {
    const got = groupBy(run.receipts, ({ webhook, event_id }) => `${webhook} ${event_id}`);
    const records = recordsOf(run);
    return run.webhooks.flatMap(({ name, business_id }) =>
      run.events
        .filter((event) => event.business_id === business_id)
        .flatMap(({ event_id }) => {
          const record = records.get(`${name} ${event_id}`);
          const attempts = got.get(`${name} ${event_id}`) ?? [];
          const delivered = attempts.some(({ status }) => status === 200);
          const holds = record?.state === 'succeeded' ? delivered : record?.state === 'failed' && isKnownFailure(record, attempts.at(-1));
          return holds ? [] : [`${name} ${event_id}: ${record?.state ?? 'no delivery'}, responses ${attempts.map(({ status }) => status)}`];
        }),
    );
  },
  'bodies that changed on a repeat': (run) => run.receipts.filter(({ same_bytes }) => !same_bytes).map(({ event_id }) => event_id),
  'inversions within a conversation': (run) => {
    const events = new Map(run.events.map((event) => [event.event_id, event]));
    const records = recordsOf(run);
    const ordered = run.receipts.filter(
      (one) => one.conversation && events.has(one.event_id) && !isLate(records.get(`${one.webhook} ${one.event_id}`) ?? {}, one),
    );
    return [...groupBy(ordered, ({ webhook, conversation }) => `${webhook} ${conversation}`)].flatMap(([lane, attempts]) => {
      const inLane = attempts.map(({ event_id }) => events.get(event_id));
      return inLane.flatMap((event, nth) => {
        const before = inLane.slice(0, nth).find((other) => isLater(other, event));
        return before ? [`${lane}: ${before.event_id} before ${event.event_id}`] : [];
      });
    });
  },
  'events published again without a lost store': (run) => {
    // A killed server may lose its last acknowledged events, because it syncs them later.
    const losses = run.faults.filter(({ name }) => name === 'wipe nats' || name === 'kill nats');
    const isReal = ({ at, is_new }) =>
      losses.some((fault) => at >= fault.at && at < fault.at + NOTICED_WITHIN_MS && (fault.name === 'wipe nats' || !is_new));
    return run.republished
      .filter((one) => !isReal(one))
      .map(({ process, stream, again }) => `${process} published ${again} of ${stream} again`);
  },
  'fail_count wrong': (run) =>
    run.webhooks.flatMap(({ id, name, fail_count }) => {
      const ended = run.deliveries.filter(({ webhook_id, state }) => webhook_id === id && ['succeeded', 'failed'].includes(state));
      const expected = ended.length - 1 - ended.findLastIndex(({ state }) => state === 'succeeded');
      return fail_count === expected ? [] : [`${name} has ${fail_count}, ${expected} failed since the last success`];
    }),
};
