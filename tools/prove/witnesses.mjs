// The witnesses as one plain object: the logs of clients, platform and receivers, and the database.

const QUERIES = {
  intents: `SELECT id, state, message_id, api_key_id::int, usage_day::text FROM send.intents`,
  usage: `SELECT api_key_id::int, day::text, used FROM send.daily_usage`,
  records: `SELECT message_id, status FROM status.records`,
  deliveries: `SELECT id::int, webhook_id::int, event_id, state, attempt, finished_at, reason,
    body::json -> 'data' ->> 'message_id' AS message_id, body::json ->> 'event' AS event
    FROM dispatch.deliveries ORDER BY finished_at NULLS LAST, id`,
  events: `SELECT event_id, outbox, seq::int, extract(epoch FROM created_at)::float8 * 1000 AS created, published_seq::int, ordering_key AS key, subject, body::json -> 'data' ->> 'message_id' AS message_id,
    body::json -> 'data' ->> 'status' AS status, (body::json ->> 'business_id')::int AS business_id, body::json -> 'data' ->> 'broadcast_id' AS broadcast_id
    FROM (SELECT 'send' AS outbox, o.* FROM send.outbox o UNION ALL SELECT 'broadcast', o.* FROM broadcast.outbox o
          UNION ALL SELECT 'auto_reply', o.* FROM auto_reply.outbox o UNION ALL SELECT 'status', o.* FROM status.outbox o) o
    WHERE subject LIKE 'public.%'`,
  broadcasts: `SELECT id::int, name, status, total, sent, failed,
    (SELECT count(*)::int FROM broadcast.recipients r JOIN send.intents i ON i.id = r.intent_id
     WHERE r.broadcast_id = b.id AND r.state = 'unclear' AND i.state = 'unknown') AS unclear
    FROM broadcast.broadcasts b`,
};

/** The relay logs this line when it publishes the events of a lost store again. */
const REPUBLISHED = /publishing them again/;

export async function collect({ product, platform, callbacks, receivers, load, account, faults, unfinished }) {
  await platform.read();
  const rows = {};
  await product.database(async (query) => {
    for (const [name, sql] of Object.entries(QUERIES)) rows[name] = await query(sql);
  });
  const lists = await Promise.all(account.businesses.map(({ call }) => call('GET', '/api/client/webhooks')));
  const counts = new Map(lists.flatMap(({ webhooks }) => webhooks.map(({ id, fail_count }) => [id, fail_count])));
  return {
    sends: load.sends,
    reads: load.reads,
    calls: platform.calls.map((call) => ({ ...call, body: undefined })),
    callbacks: callbacks.taken(),
    receipts: await receivers.attempts(),
    webhooks: account.webhooks.map((webhook) => ({ ...webhook, fail_count: counts.get(webhook.id) })),
    numbers: Object.fromEntries(account.businesses.map(({ phone_number_id, id }) => [phone_number_id, id])),
    keys: account.businesses.flatMap(({ open, capped }) => [open, capped].map(({ id, cap }) => ({ id, cap }))),
    ...rows,
    broadcasts: load.broadcasts.map((wanted) => ({ ...wanted, ...rows.broadcasts.find(({ id }) => id === wanted.id) })),
    republished: product
      .log()
      .filter(({ msg, first, more }) => REPUBLISHED.test(msg ?? '') && (first > 0 || more))
      .map(({ time, stream, first, is_new, process }) => ({ at: Number(new Date(time)), stream, again: first, is_new, process })),
    deaths: product.deaths,
    faults,
    unfinished,
  };
}
