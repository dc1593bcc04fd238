// Servers of customers: one address for each webhook, which logs every attempt and answers as its mode says.
import { createServer } from 'node:http';
import { freePort } from '../servers/free-port.cjs';

const HANG_MS = 14_000;

export class Receivers {
  attempts = [];
  #modes = new Map();

  static async listen() {
    const receivers = new Receivers();
    const server = createServer((request, response) => void receivers.#take(request, response));
    server.keepAliveTimeout = 60_000;
    receivers.port = await freePort();
    await new Promise((resolve) => server.listen(receivers.port, '127.0.0.1', resolve));
    return receivers;
  }

  url(name) {
    return `http://127.0.0.1:${this.port}/${name}`;
  }

  /** @param mode ok, fail, hang or reset */
  set(name, mode) {
    this.#modes.set(name, mode);
  }

  async #take(request, response) {
    const webhook = request.url.slice(1);
    const attempt = { webhook, event_id: request.headers['webhook-id'], at: Date.now(), ended_at: null, status: null };
    this.attempts.push(attempt);
    request.once('close', () => void (attempt.ended_at ??= Date.now()));
    const chunks = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return;
    }
    const body = Buffer.concat(chunks).toString();
    const { event, data } = JSON.parse(body);
    Object.assign(attempt, { event, message_id: data.message_id, conversation: data.conversation_id ?? null, body });
    const answer = (status) => {
      if (response.destroyed) return;
      Object.assign(attempt, { status, ended_at: Date.now() });
      response.writeHead(status).end();
    };
    const mode = this.#modes.get(webhook) ?? 'ok';
    if (mode === 'reset') return void request.socket.destroy();
    if (mode === 'hang') return void setTimeout(answer, HANG_MS, 200);
    answer(mode === 'fail' ? 500 : 200);
  }
}
