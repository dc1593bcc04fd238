// The end of a run: lifts every disturbance, then waits until the product has finished its accepted work.
import { setTimeout as pause } from 'node:timers/promises';

const QUIET_FOR_MS = 4_000;
const POLL_EVERY_MS = 1_000;

/** Counts of unfinished work, by name. All are zero when the product is quiet. */
const UNFINISHED = {
  'events not published': ['send', 'ingest', 'broadcast', 'auto_reply', 'status'].map(
    (schema) => `SELECT count(*) FROM ${schema}.outbox WHERE published_at IS NULL`,
  ),
  'callbacks not split': ['SELECT count(*) FROM ingest.callbacks WHERE split_at IS NULL'],
  'events in the backlog of webhooks': ['SELECT count(*) FROM dispatch.backlog'],
  'deliveries not ended': [`SELECT count(*) FROM dispatch.deliveries WHERE state IN ('pending', 'running')`],
  'sends without an outcome': [`SELECT count(*) FROM send.intents WHERE state = 'calling'`],
  'recipients not recorded': [
    `SELECT count(*) FROM broadcast.recipients r LEFT JOIN send.intents i ON i.id = r.intent_id
     WHERE r.state IN ('sending', 'unclear') AND i.state IS DISTINCT FROM 'unknown'`,
  ],
  'broadcasts not finished': [`SELECT count(*) FROM broadcast.broadcasts WHERE status IN ('scheduled', 'running')`],
};

async function liftDisturbances({ product, platform, callbacks, receivers }) {
  callbacks.mode = null;
  receivers.set('disturbed', 'ok');
  await platform.control('DELETE', 'rules');
  await platform.control('PATCH', 'profile', { status_mode: 'usual' });
  await platform.control('POST', 'webhooks/resume');
  for (const { pid } of product.processes()) product.signal({ pid }, 'SIGCONT');
}

async function unfinished({ product, platform, callbacks }) {
  const open = {};
  const note = (name, count) => count > 0 && (open[name] = (open[name] ?? 0) + count);
  note('callbacks not taken', callbacks.open());
  // WhatsApp retries a callback after minutes. An earlier retry is valid too.
  if (callbacks.open() > 0) await platform.control('POST', 'webhooks/replay', { undelivered: true });
  note('processes not ready', (await product.isReady()) ? 0 : 1);
  note('events not handled', await product.metric('mgw_events_waiting'));
  await product.database(async (query) => {
    for (const [name, statements] of Object.entries(UNFINISHED))
      for (const statement of statements) note(name, Number((await query(statement))[0].count));
  });
  return open;
}

/** Waits until no work is unfinished for some seconds. @returns the work that is unfinished at the deadline, else {} */
export async function untilQuiet(run, { withinMs = 240_000, log } = {}) {
  await liftDisturbances(run);
  let last = {};
  let quietSince = null;
  for (const end = Date.now() + withinMs; Date.now() < end; await pause(POLL_EVERY_MS)) {
    await run.platform.read();
    run.product.watch();
    if (!run.product.running) return { 'npm start ended': 1 };
    const open = await unfinished(run).catch((error) => ({ [`not readable (${error.message})`]: 1 }));
    if (JSON.stringify(open) !== JSON.stringify(last) && log) log(`waiting for ${JSON.stringify(open)}`);
    last = open;
    if (Object.keys(open).length > 0) quietSince = null;
    else quietSince ??= Date.now();
    if (quietSince !== null && Date.now() - quietSince >= QUIET_FOR_MS) return {};
  }
  return last;
}
