import type { ServerResponse } from 'node:http';
import { startReceiver, type ReceivedRequest } from '@mgw/testing';

type Respond = (request: ReceivedRequest, response: ServerResponse) => void;

/** Stands in for the platform: takes every message unless a test says otherwise, and remembers what it was asked. */
export async function startPlatform() {
  const server = await startReceiver();
  let made = 0;
  const held: { number: string; answer: () => void }[] = [];
  const accept: Respond = (request, response) => {
    const { to } = JSON.parse(request.body) as { to: string };
    made += 1;
    json(response, 200, {
      contacts: [{ input: to, wa_id: to.slice(1) }],
      messages: [{ id: `wamid.P${made}`, message_status: 'accepted' }],
    });
  };
  server.respond(accept);
  return {
    url: server.url,
    close: server.close,
    respond: server.respond,
    accept: () => server.respond(accept),
    refuse: (code: number, status = 400) =>
      server.respond((_, response) => json(response, status, { error: { code, message: `(#${code}) no`, error_data: { details: 'no' } } })),
    /** Never answers calls of these numbers, until they are released; others are accepted. */
    hang: (...numbers: string[]) =>
      server.respond((request, response) => {
        const number = request.path.split('/').at(-2) ?? '';
        if (numbers.includes(number)) held.push({ number, answer: () => accept(request, response) });
        else accept(request, response);
      }),
    /** Numbers of the calls that are held. */
    hanging: () => held.map(({ number }) => number),
    release: () => {
      server.respond(accept);
      for (const { answer } of held.splice(0)) answer();
    },
    calls: () => server.requests.map(({ body }) => JSON.parse(body) as { to: string; biz_opaque_callback_data: string }),
  };
}
export type Platform = Awaited<ReturnType<typeof startPlatform>>;

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
