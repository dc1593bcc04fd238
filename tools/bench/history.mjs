// Fills the tables with three weeks of a business, so that the benchmark measures with history.
import pg from 'pg';

const TEXT = 'Hello Asha, your order 1007 is on its way.';

/**
 * Four of five messages were sent and read, one came from the customer; each was delivered to one webhook. Inserts the rows that the
 * services write and retention keeps, with times between the start of the month and now.
 * @param {string} databaseUrl of an administrator
 * @param {{ businessId: number, client: Function }} account the rows' owner
 * @param {number} messages count
 */
export async function fillHistory(databaseUrl, { businessId, client }, messages) {
  const past = { name: 'past', url: 'http://127.0.0.1:9/', events: ['broadcast.completed'] };
  const { id: webhookId } = await client('POST', '/api/client/webhooks', past);
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  const run = (sql) => db.query(sql.replaceAll('$business', businessId).replaceAll('$webhook', webhookId).replaceAll('$text', `'${TEXT}'`));
  try {
    await run(`
      CREATE TEMP TABLE past AS
      SELECT n, n % 5 = 0 AS received, 'wamid.past.' || n AS message_id, '1208' || lpad((n / 5)::text, 7, '0') AS phone,
        1000000000 + n / 5 AS conversation_id, at,
        (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid AS intent_id
      FROM (SELECT n, date_trunc('month', now()) + (now() - date_trunc('month', now())) * (n / ${messages}.0) AS at
            FROM generate_series(0, ${messages - 1}) AS n) AS times`);
    await run(`INSERT INTO send.conversations (id, business_id, phone, name, first_inbound_at, last_inbound_at, created_at)
      SELECT conversation_id, $business, phone, 'Asha', at, at, at FROM past WHERE received`);
    await run(`INSERT INTO send.conversation_aliases (business_id, alias, conversation_id)
      SELECT $business, phone, conversation_id FROM past WHERE received`);
    await run(`INSERT INTO send.inbound_messages (business_id, message_id, conversation_id, type, text, sent_at, received_at)
      SELECT $business, message_id, conversation_id, 'text', $text, at, at FROM past WHERE received`);
    await run(`INSERT INTO send.intents (id, business_id, api_key_id, usage_day, state, recipient, type, sent_by, template, text, message_id, created_at, resolved_at)
      SELECT intent_id, $business, 1, at::date, 'accepted', phone, 'template', 'api', 'order_update', $text, message_id, at, at FROM past WHERE NOT received`);
    await run(`INSERT INTO send.messages (business_id, message_id, intent_id, conversation_id, accepted_at)
      SELECT $business, message_id, intent_id, conversation_id, at FROM past WHERE NOT received`);
    await run(`INSERT INTO status.record_keys (business_id, message_id, month)
      SELECT $business, message_id, date_trunc('month', at) FROM past WHERE NOT received`);
    await run(`INSERT INTO status.records (business_id, message_id, recipient, sent_at, status, rank, type, template, text, sent_by, api_key_id, month)
      SELECT $business, message_id, phone, at, 'read', 3, 'template', 'order_update', $text, 'api', 1, date_trunc('month', at) FROM past WHERE NOT received`);
    await run(`INSERT INTO status.history (business_id, message_id, status, occurred_at)
      SELECT $business, message_id, status, at FROM past, unnest(ARRAY['sent', 'delivered', 'read']) AS status WHERE NOT received`);
    await run(`INSERT INTO dispatch.deliveries
        (webhook_id, business_id, event_id, ordering_key, body, state, attempt, status_code, created_at, finished_at, event, duration_ms)
      SELECT $webhook, $business, 'message.sent:' || message_id, 'conversation:' || conversation_id,
        jsonb_build_object('event', 'message.sent', 'data', jsonb_build_object('message_id', message_id, 'to', phone, 'text', $text))::text,
        'succeeded', 1, 200, at, at, 'message.sent', 12 FROM past`);
    for (const [schema, consumer] of [
      ['send', 'send-statuses'],
      ['status', 'status-statuses'],
      ['dispatch', 'outbound-webhook-dispatcher'],
    ])
      await run(`INSERT INTO ${schema}.inbox (consumer, event_id, handled_at)
        SELECT '${consumer}', 'past:' || n, at FROM past WHERE at > now() - interval '72 hours'`);
    for (const [schema, subject] of [
      ['send', 'events.public.message.sent'],
      ['ingest', 'events.platform.status'],
    ])
      await run(`INSERT INTO ${schema}.outbox (event_id, subject, ordering_key, body, created_at, published_at)
        SELECT 'past:' || n, '${subject}', 'conversation:' || conversation_id,
          jsonb_build_object('message_id', message_id, 'to', phone, 'text', $text)::text, at, at
        FROM past WHERE at > now() - interval '72 hours'`);
    await run(`INSERT INTO ingest.callbacks (body_hash, body, businesses, received_at, split_at)
      SELECT sha256(message_id::bytea), repeat(message_id, 30)::bytea, ARRAY[$business], at, at FROM past WHERE at > now() - interval '7 days'`);
    await run('DROP TABLE past');
    // Vacuum as autovacuum does in three weeks.
    await run('VACUUM (ANALYZE)');
  } finally {
    await db.end();
  }
}
