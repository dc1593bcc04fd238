import type { ServerResponse } from 'node:http';
import { startReceiver, type ReceivedRequest } from '@mgw/testing';

type Respond = (request: ReceivedRequest, response: ServerResponse) => void;

/** A fake platform. It accepts every message unless a test sets another response, and records the calls. */
export async function startPlatform() {
  const server = await startReceiver();
  let messages = 0;
  const held: { number: string; respond: () => void }[] = [];
  const accept: Respond = (request, response) => {
    const { to } = JSON.parse(request.body) as { to: string };
    messages += 1;
    json(response, 200, {
      contacts: [{ input: to, wa_id: to.slice(1) }],
      messages: [{ id: `wamid.P${messages}`, message_status: 'accepted' }],
    });
  };
  server.respond(accept);
  return {
    url: server.url,
    close: server.close,
    respond: server.respond,
    accept: () => server.respond(accept),
    refuse: (code: number, status = 400) =>
      server.respond((_, response) =>
        json(response, status, { error: { code, message: `(#${code}) no`, error_data: { details: 'no' }, fbtrace_id: 'AmGd' } }),
      ),
    /** Holds the calls of these numbers until `release`; others are accepted. */
    hang: (...numbers: string[]) =>
      server.respond((request, response) => {
        const number = request.path.split('/').at(-2) ?? '';
        if (numbers.includes(number)) held.push({ number, respond: () => accept(request, response) });
        else accept(request, response);
      }),
    /** The numbers of held calls, one entry per call. */
    hanging: () => held.map(({ number }) => number),
    release: () => {
      server.respond(accept);
      for (const { respond } of held.splice(0)) respond();
    },
    calls: () => server.requests.map(({ body }) => JSON.parse(body) as { to: string; biz_opaque_callback_data: string }),
  };
}
export type Platform = Awaited<ReturnType<typeof startPlatform>>;

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
