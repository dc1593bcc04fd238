import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { FindSend, gatewayMessageId, newIntentId } from '@mgw/contracts';
import { eventually } from '@mgw/testing';
import { startSending, type Sending } from '../sending/send.fixture';

/** Ends what a client asks of PostgreSQL at once (the message Sync). */
const SYNC = Buffer.from([0x53, 0, 0, 0, 4]);

/** When the connection of a reservation ends. */
type Cut = 'after the commit' | 'before it is asked';

/** guarantees §1, S5: a send that was never made keeps neither its place under the cap nor its Idempotency-Key. */
describe('a reservation whose answer is lost', () => {
  const idempotency = { key: 'k', fingerprint: 'f' };
  const intent_id = newIntentId();
  let sending: Sending;
  let door: Server;
  let cut: Cut | null;
  /** Lets what was kept back reach PostgreSQL, after all; resolves when it has answered. */
  let letThrough: () => Promise<unknown>;

  /** The way to the database; the next reservation's connection is cut as `cut` says. */
  const pass = (client: Socket, port: number) => {
    const server = connect(port, '127.0.0.1').on('error', () => undefined);
    client.on('error', () => undefined).on('close', () => keptBack.length === 0 && server.destroy());
    const keptBack: Buffer[] = [];
    let reserving: Cut | null = null;
    client.on('data', (asked) => {
      if (cut !== null && asked.includes('send.reserve')) [reserving, cut] = [cut, null];
      if (reserving !== 'before it is asked') return void server.write(asked);
      keptBack.push(asked);
      if (!asked.subarray(-SYNC.length).equals(SYNC)) return;
      letThrough = () => {
        server.write(Buffer.concat(keptBack));
        return once(server, 'data').finally(() => server.destroy());
      };
      client.destroy();
    });
    server.on('data', (answer) => (reserving === null ? client.write(answer) : client.destroy()));
  };

  beforeEach(async () => {
    sending = await startSending();
    const url = new URL(sending.harness.env['DATABASE_URL'] ?? '');
    const there = Number(url.port);
    door = createServer((client) => pass(client, there)).listen(0, '127.0.0.1');
    await once(door, 'listening');
    url.host = `127.0.0.1:${(door.address() as AddressInfo).port}`;
    cut = null;
    await sending.run({ DATABASE_URL: url.href });
  });
  afterEach(async () => {
    await sending.harness.close();
    door.close();
  });

  const told = async () => (await sending.harness.rpc.call(FindSend, { business_id: 1, message_id: gatewayMessageId(intent_id) })).send;
  const nothingKept = () => eventually(async () => (await sending.states()).join() === 'refused' && (await sending.used()) === 0);

  it('is given back, and the same Idempotency-Key sends: once', async () => {
    cut = 'after the commit';
    expect(await sending.template({ idempotency, intent_id })).toMatchObject({ error_code: 'INTERNAL' });
    await nothingKept();
    expect(await told()).toMatchObject({ state: 'refused', failure_reason: 'The send could not be stored in time; nothing was sent.' });
    expect(await sending.template({ idempotency })).toMatchObject({ message_id: 'wamid.P1', replayed: false });
    expect([sending.platform.calls().length, await sending.used()]).toEqual([1, 1]);
    await eventually(async () => (await sending.harness.told('message.not-sent')).length === 1);
  });

  it('and that reaches PostgreSQL only later reserves nothing', async () => {
    cut = 'before it is asked';
    expect(await sending.template({ idempotency, intent_id })).toMatchObject({ error_code: 'INTERNAL' });
    await nothingKept();
    await letThrough();
    await nothingKept();
    expect(await sending.template({ idempotency })).toMatchObject({ message_id: 'wamid.P1', replayed: false });
    expect([sending.platform.calls().length, await sending.used()]).toEqual([1, 1]);
  });

  it('is told from one that PostgreSQL refused, of which nothing is kept', async () => {
    await sending.harness.db.query(`ALTER TABLE send.intents ADD CONSTRAINT kept_back CHECK (state <> 'calling')`);
    expect(await sending.template({ idempotency })).toMatchObject({ error_code: 'INTERNAL' });
    await sending.harness.db.query('ALTER TABLE send.intents DROP CONSTRAINT kept_back');
    expect(await sending.template({ idempotency })).toMatchObject({ replayed: false });
    expect([await sending.states(), await sending.used()]).toEqual([['accepted'], 1]);
  });
});
