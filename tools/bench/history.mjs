// Fills the tables with twelve weeks of a business, so that the benchmark measures with history.
import pg from 'pg';

const TEXT = 'Hello Asha, your order 1007 is on its way.';
const DAYS = 84;
/** The tables with a partition for each month. */
const MONTHLY = ['send.messages', 'send.inbound_messages', 'status.records', 'status.history'];

const within = (days) => `at > now() - interval '${days} days'`;
const body = `jsonb_build_object('event', 'message.sent', 'data', jsonb_build_object('message_id', message_id, 'to', phone, 'text', $text))::text`;
const inbox = (schema, consumer) => [
  `${schema}.inbox`,
  `INSERT INTO ${schema}.inbox (consumer, event_id, handled_at) SELECT '${consumer}', 'past:' || n, at FROM past WHERE ${within(4)}`,
];
const outbox = (schema, subject) => [
  `${schema}.outbox`,
  `INSERT INTO ${schema}.outbox (event_id, subject, ordering_key, body, created_at, published_at)
   SELECT 'past:' || n, '${subject}', 'conversation:' || conversation_id, ${body}, at, at FROM past WHERE ${within(3)}`,
];
/** The tables and their rows, by the defaults of retention. Each list runs on a connection of its own. */
const LISTS = [
  [
    [
      'send.conversations',
      `INSERT INTO send.conversations (id, business_id, phone, name, first_inbound_at, last_inbound_at, created_at)
       SELECT conversation_id, $business, phone, 'Asha', at, at, at FROM past WHERE received`,
    ],
    [
      'send.conversation_words',
      `INSERT INTO send.conversation_words (business_id, word, conversation_id) SELECT $business, 'asha', conversation_id FROM past WHERE received`,
    ],
    [
      'send.conversation_aliases',
      `INSERT INTO send.conversation_aliases (business_id, alias, conversation_id) SELECT $business, phone, conversation_id FROM past WHERE received`,
    ],
    [
      'send.inbound_messages',
      `INSERT INTO send.inbound_messages (business_id, message_id, conversation_id, type, text, sent_at, received_at)
       SELECT $business, message_id, conversation_id, 'text', $text, at, at FROM past WHERE received`,
    ],
    [
      'send.intents',
      `INSERT INTO send.intents (id, business_id, api_key_id, usage_day, state, recipient, type, sent_by, template, text, message_id, created_at, resolved_at)
       SELECT intent_id, $business, 1, at::date, 'accepted', phone, 'template', 'api', 'order_update', $text, message_id, at, at FROM past WHERE NOT received`,
    ],
    [
      'send.messages',
      `INSERT INTO send.messages (business_id, message_id, intent_id, conversation_id, accepted_at)
       SELECT $business, message_id, intent_id, conversation_id, at FROM past WHERE NOT received`,
    ],
    inbox('send', 'send-statuses'),
    outbox('send', 'events.public.message.sent'),
    [
      'dispatch.deliveries',
      `INSERT INTO dispatch.deliveries (webhook_id, business_id, event_id, ordering_key, body, state, attempt, status_code, created_at, finished_at, event, duration_ms)
       SELECT $webhook, $business, 'message.sent:' || message_id, 'conversation:' || conversation_id, ${body}, 'succeeded', 1, 200, at, at, 'message.sent', 12
       FROM past WHERE ${within(30)}`,
    ],
  ],
  [
    [
      'status.record_keys',
      `INSERT INTO status.record_keys (business_id, message_id, month) SELECT $business, message_id, date_trunc('month', at) FROM past WHERE NOT received`,
    ],
    [
      'status.records',
      // Its trigger counts the usage.
      `SET session_replication_role = origin;
       INSERT INTO status.records (business_id, message_id, recipient, sent_at, status, rank, type, template, text, sent_by, api_key_id, conversation_id, month)
       SELECT $business, message_id, phone, at, 'read', 3, 'template', 'order_update', $text, 'api', 1, conversation_id, date_trunc('month', at)
       FROM past WHERE NOT received;
       SET session_replication_role = replica`,
    ],
    [
      'status.history',
      `INSERT INTO status.history (business_id, message_id, status, occurred_at)
       SELECT $business, message_id, status, at FROM past, unnest(ARRAY['sent', 'delivered', 'read']) AS status WHERE NOT received`,
    ],
    inbox('status', 'status-statuses'),
    inbox('dispatch', 'outbound-webhook-dispatcher'),
    outbox('ingest', 'events.platform.status'),
    [
      'ingest.callbacks',
      `INSERT INTO ingest.callbacks (body_hash, body, businesses, received_at, split_at)
       SELECT sha256(message_id::bytea), repeat(message_id, 30)::bytea, ARRAY[$business], at, at FROM past WHERE ${within(8)}`,
    ],
    [
      'dispatch.feed_events',
      `INSERT INTO dispatch.feed_events (business_id, seq, event_id, event, body, created_at)
       SELECT $business, n + 1, 'message.sent:' || message_id, 'message.sent', ${body}, at FROM past WHERE ${within(7)}`,
    ],
  ],
];

/**
 * Four of five messages were sent and read, one came from the customer; each was delivered to one webhook. Inserts the rows that the
 * services write and retention keeps, with times of the last twelve weeks.
 * @param {string} databaseUrl of an administrator
 * @param {{ businessId: number, client: Function }} account the rows' owner
 * @param {number} messages count
 */
export async function fillHistory(databaseUrl, { businessId, client }, messages) {
  const past = { name: 'past', url: 'http://127.0.0.1:9/', events: ['broadcast.completed'] };
  const { id: webhookId } = await client('POST', '/api/client/webhooks', past);
  const filled = (sql) => sql.replaceAll('$business', businessId).replaceAll('$webhook', webhookId).replaceAll('$text', `'${TEXT}'`);
  await connected(databaseUrl, async (run) => {
    await run(`CREATE VIEW past AS
      SELECT n, n % 5 = 0 AS received, 'wamid.past.' || n AS message_id, '1208' || lpad((n / 5)::text, 7, '0') AS phone,
        1000000000 + n / 5 AS conversation_id, at,
        (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid AS intent_id
      FROM (SELECT n, '${new Date().toISOString()}'::timestamptz - interval '${DAYS} days' * (1 - n / ${messages}.0) AS at
            FROM generate_series(0, ${messages - 1}) AS n) AS times`);
    const month = (ago) => new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - ago)).toISOString().slice(0, 10);
    // The services made the partitions from this month on.
    for (const ago of [3, 2, 1])
      for (const table of MONTHLY)
        await run(`CREATE TABLE ${table}_${month(ago).slice(0, 7).replace('-', '_')} PARTITION OF ${table}
          FOR VALUES FROM ('${month(ago)}') TO ('${month(ago - 1)}') ${table === 'status.records' ? 'WITH (fillfactor = 80)' : ''}`);
  });
  await Promise.all(
    LISTS.map((list) =>
      connected(databaseUrl, async (run) => {
        await run("SET session_replication_role = replica; SET maintenance_work_mem = '1GB'; SET work_mem = '256MB'");
        for (const [table, insert] of list) {
          // Building an index from all rows is much faster than inserting each row into it.
          await run(`UPDATE pg_index SET indisready = false FROM pg_class WHERE oid = indexrelid AND relkind = 'i'
            AND indrelid IN (SELECT '${table}'::regclass UNION SELECT relid FROM pg_partition_tree('${table}'))`);
          await run(filled(insert));
          await run(`REINDEX TABLE ${table}`);
        }
      }),
    ),
  );
  await connected(databaseUrl, async (run) => {
    await run('DROP VIEW past');
    await run(`INSERT INTO dispatch.feeds AS f (business_id, last_seq) VALUES (${businessId}, ${messages})
      ON CONFLICT (business_id) DO UPDATE SET last_seq = f.last_seq + ${messages}`);
    // Vacuum as autovacuum does in twelve weeks.
    await run('VACUUM (ANALYZE)');
    await run('CHECKPOINT');
  });
}

/** @param act gets a function that runs SQL on a connection of its own */
async function connected(connectionString, act) {
  const db = new pg.Client({ connectionString });
  await db.connect();
  try {
    await act((sql) => db.query(sql));
  } finally {
    await db.end();
  }
}
