// Customers' servers, in a separate process: Node.js accepts one connection per turn of its event loop, so a busy process makes
// connections wait. Each webhook has an address that logs every attempt and responds by its mode: ok, fail, hang or reset.
import { createServer } from 'node:http';

const HANG_MS = 14_000;
const attempts = [];
const modes = new Map();
/** The body of the first attempt, by webhook and event. */
const bodies = new Map();

function hasSameBytes({ webhook, event_id }, body) {
  const key = `${webhook} ${event_id}`;
  if (!bodies.has(key)) bodies.set(key, body);
  return bodies.get(key) === body;
}

async function take(request, response) {
  const webhook = request.url.slice(1);
  const attempt = { webhook, event_id: request.headers['webhook-id'], at: Date.now(), ended_at: null, status: null };
  attempts.push(attempt);
  request.once('close', () => void (attempt.ended_at ??= Date.now()));
  const chunks = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    return;
  }
  const body = Buffer.concat(chunks).toString();
  const { event, data } = JSON.parse(body);
  const { message_id, conversation_id: conversation = null } = data;
  Object.assign(attempt, { event, message_id, conversation, same_bytes: hasSameBytes(attempt, body) });
  const respond = (status) => {
    if (response.destroyed) return;
    Object.assign(attempt, { status, ended_at: Date.now() });
    response.writeHead(status).end();
  };
  const mode = modes.get(webhook) ?? 'ok';
  if (mode === 'reset') return void request.socket.destroy();
  if (mode === 'hang') return void setTimeout(respond, HANG_MS, 200);
  respond(mode === 'fail' ? 500 : 200);
}

const server = createServer((request, response) => void take(request, response));
server.keepAliveTimeout = 60_000;
server.listen(Number(process.argv[2]), '127.0.0.1', () => process.send({ listening: true }));
process.on('message', ({ set, collect }) => {
  if (set) modes.set(set.name, set.mode);
  if (collect) process.send({ attempts });
});
process.on('disconnect', () => process.exit());
