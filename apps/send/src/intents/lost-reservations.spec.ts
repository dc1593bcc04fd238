import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { FindSends, gatewayMessageId, newIntentId, type GatewayError } from '@mgw/contracts';
import { eventually } from '@mgw/testing';
import { startSending, type Sending } from '../send.fixture';

/** PostgreSQL's message Sync, which ends a request. */
const SYNC = Buffer.from([0x53, 0, 0, 0, 4]);

/** The moment at which the proxy cuts a reservation's connection. */
type Cut = 'after the commit' | 'before the request';

/** guarantees §1, S5: a send without a platform call releases its cap and its Idempotency-Key. */
describe('a reservation whose response is lost', () => {
  const idempotency = { key: 'k', fingerprint: 'f' };
  const intent_id = newIntentId();
  let sending: Sending;
  let proxy: Server;
  let cut: Cut | null;
  const connections = new Set<Socket>();
  /** Sends the withheld request to PostgreSQL; resolves with its response. */
  let sendWithheld: () => Promise<unknown>;

  /** Proxies to the database and cuts the next reservation's connection at the moment `cut`. */
  const forward = (client: Socket, port: number) => {
    connections.add(client);
    const server = connect(port, '127.0.0.1').on('error', () => undefined);
    client.on('error', () => undefined).on('close', () => withheld.length === 0 && server.destroy());
    const withheld: Buffer[] = [];
    let reserving: Cut | null = null;
    client.on('data', (request) => {
      if (cut !== null && request.includes('send.reserve')) [reserving, cut] = [cut, null];
      if (reserving !== 'before the request') return void server.write(request);
      withheld.push(request);
      if (!request.subarray(-SYNC.length).equals(SYNC)) return;
      sendWithheld = () => {
        server.write(Buffer.concat(withheld));
        return once(server, 'data').finally(() => server.destroy());
      };
      client.destroy();
    });
    server.on('data', (response) => (reserving === null ? client.write(response) : client.destroy()));
  };

  beforeEach(async () => {
    sending = await startSending();
    const url = new URL(sending.harness.env['DATABASE_URL'] ?? '');
    const databasePort = Number(url.port);
    proxy = createServer((client) => forward(client, databasePort)).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    cut = null;
    await sending.run({ DATABASE_URL: url.href });
  });
  afterEach(async () => {
    await sending.harness.close();
    proxy.close();
  });

  const findSend = async () =>
    (await sending.harness.rpc.call(FindSends, { business_id: 1, message_ids: [gatewayMessageId(intent_id)] })).sends[0];
  const released = () => eventually(async () => (await sending.states()).join() === 'refused' && (await sending.used()) === 0);

  it('releases cap and Idempotency-Key; the same key then sends once', async () => {
    cut = 'after the commit';
    expect(await sending.template({ idempotency, intent_id })).toMatchObject({ error_code: 'INTERNAL' });
    await released();
    expect(await findSend()).toMatchObject({
      state: 'refused',
      failure_reason: 'The send could not be stored in time, so nothing was sent.',
    });
    expect(await sending.template({ idempotency })).toMatchObject({ message_id: 'wamid.P1', replayed: false });
    expect([sending.platform.calls().length, await sending.used()]).toEqual([1, 1]);
    await eventually(async () => (await sending.harness.published('message.not-sent')).length === 1);
  });

  it('reserves nothing if it reaches PostgreSQL after its cancellation', async () => {
    cut = 'before the request';
    expect(await sending.template({ idempotency, intent_id })).toMatchObject({ error_code: 'INTERNAL' });
    await released();
    await sendWithheld();
    await released();
    expect(await sending.template({ idempotency })).toMatchObject({ message_id: 'wamid.P1', replayed: false });
    expect([sending.platform.calls().length, await sending.used()]).toEqual([1, 1]);
  });

  it('decision 162: may be repeated while PostgreSQL is not reachable, and calls no platform', async () => {
    proxy.close();
    for (const connection of connections) connection.destroy();
    const isRetryable = async () => ((await sending.template()) as GatewayError).extras['retryable'] === true;
    await eventually(isRetryable);
    expect(sending.platform.calls()).toHaveLength(0);
  });

  it('needs no cancellation if PostgreSQL refused it', async () => {
    await sending.harness.db.query(`ALTER TABLE send.intents ADD CONSTRAINT block_state CHECK (state <> 'calling')`);
    expect(await sending.template({ idempotency })).toMatchObject({ error_code: 'INTERNAL' });
    await sending.harness.db.query('ALTER TABLE send.intents DROP CONSTRAINT block_state');
    expect(await sending.template({ idempotency })).toMatchObject({ replayed: false });
    expect([await sending.states(), await sending.used()]).toEqual([['accepted'], 1]);
  });
});
