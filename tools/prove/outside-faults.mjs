// Faults outside the product: at WhatsApp, between WhatsApp and the gateways, and at customers' servers.
import { setTimeout as pause } from 'node:timers/promises';

/** Rules of the simulator for the next messages. */
export function platformFaults() {
  const rules = {
    'platform hangs': { times: 4, delay_ms: 20_000 },
    'platform is slow': { times: 20, delay_ms: 1_500 },
    'platform cuts before it accepts': { times: 4, answer: { cut: true } },
    'platform cuts after it accepted': { times: 4, cut_after_accept: true },
    'platform has an internal error': { times: 6, error: { code: 131016, status: 500 } },
    'platform answers 502 in HTML': { times: 4, answer: { status: 502, body: '<html>' } },
    'platform throttles': { times: 6, error: { code: 130429, status: 429, headers: { 'Retry-After': '1' } } },
    'platform cannot be reached': { times: 1, refuse_connections_ms: 2_500 },
  };
  const add =
    (rule) =>
    async ({ platform }) =>
      void (await platform.control('POST', 'rules', rule));
  const all = Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, add(rule)]));
  for (const status_mode of ['reorder', 'early', 'held', 'read_only'])
    all[`statuses are reported ${status_mode}`] = async ({ platform }) => {
      await platform.control('PATCH', 'profile', { status_mode });
      await pause(4_000);
      await platform.control('PATCH', 'profile', { status_mode: 'usual' });
    };
  return all;
}

export function callbackFaults() {
  const all = {};
  for (const mode of ['duplicate', 'reorder', 'lose-responses'])
    all[`callbacks: ${mode}`] = async ({ callbacks }) => {
      callbacks.mode = mode;
      await pause(4_000);
      callbacks.mode = null;
    };
  all['callbacks pause'] = async ({ platform }) => {
    await platform.control('POST', 'webhooks/pause');
    await pause(4_000);
    await platform.control('POST', 'webhooks/resume');
  };
  all['callbacks are replayed'] = async ({ platform }) => void (await platform.control('POST', 'webhooks/replay', { last: 100 }));
  return all;
}

export function receiverFaults() {
  return Object.fromEntries(
    ['fail', 'hang', 'reset'].map((mode) => [
      `a receiver: ${mode}`,
      async ({ receivers }) => {
        receivers.set('disturbed', mode);
        await pause(4_000);
        receivers.set('disturbed', 'ok');
      },
    ]),
  );
}
