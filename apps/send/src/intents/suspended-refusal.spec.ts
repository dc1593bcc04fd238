import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { eventually } from '@mgw/testing';
import { startSending, type Sending } from '../send.fixture';

/** The end of PostgreSQL's message ReadyForQuery within a transaction. */
const IN_TRANSACTION = 'T'.charCodeAt(0);

describe('a process that is suspended after a refusal by WhatsApp', () => {
  let sending: Sending;
  let proxy: Server;
  let refusals: number;

  /** Passes nothing more on after the statement of a refusal that left a transaction open, like a suspended process. */
  const forward = (client: Socket, port: number) => {
    const server = connect(port, '127.0.0.1').on('error', () => undefined);
    client.on('error', () => undefined).on('close', () => server.destroy());
    let refuses = false;
    let isSuspended = false;
    client.on('data', (request) => {
      if (isSuspended) return;
      refuses = request.includes('send.refuse');
      server.write(request);
    });
    server.on('data', (response) => {
      if (refuses) refusals += 1;
      isSuspended = refuses && response.at(-1) === IN_TRANSACTION;
      client.write(response);
    });
  };

  beforeEach(async () => {
    sending = await startSending();
    refusals = 0;
    const url = new URL(sending.harness.env['DATABASE_URL'] ?? '');
    const port = Number(url.port);
    proxy = createServer((client) => forward(client, port)).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    await sending.run({ DATABASE_URL: url.href });
  });
  afterEach(async () => {
    await sending.harness.close();
    proxy.close();
  });

  it('guarantees §10, N2: holds no lock that sends of its API key and of others wait for', async () => {
    sending.platform.refuse(131026);
    const refused = sending.template();
    await eventually(async () => refusals > 0);
    sending.platform.accept();
    const later = [sending.template(), sending.template({ business_id: 2, api_key_id: 2 })];
    const accepted = { message_id: expect.any(String) as string };
    expect(await Promise.all(later)).toEqual([expect.objectContaining(accepted), expect.objectContaining(accepted)]);
    expect(await refused).toMatchObject({ error_code: 'PLATFORM_REFUSED' });
    expect([(await sending.states()).join(), await sending.used()]).toEqual(['refused,accepted,accepted', 2]);
    await eventually(async () => (await sending.harness.published('message.not-sent')).length === 1);
  });
});
