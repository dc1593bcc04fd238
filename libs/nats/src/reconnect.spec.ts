import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createLogger } from '@mgw/telemetry';
import { eventually, testNats } from '@mgw/testing';
import { connectNats } from './index';

/** A broker on the port that refuses every password. */
async function refusingBroker(port: number) {
  const sockets = new Set<Socket>();
  let refusals = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.write('INFO {"server_id":"x","version":"2.10.0","proto":1,"max_payload":1048576,"headers":true,"auth_required":true}\r\n');
    socket.once('data', () => {
      refusals += 1;
      socket.end("-ERR 'Authorization Violation'\r\n");
    });
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    refusals: () => refusals,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('a connection to NATS (guarantees §6)', () => {
  it('returns after the broker refused its password several times', async () => {
    const broker = await testNats();
    const connection = await connectNats({ servers: [broker.url], name: 'test', logger: createLogger('nats', 'silent') });
    await broker.kill();
    const refusing = await refusingBroker(broker.port);
    await eventually(() => connection.isClosed() || refusing.refusals() >= 3);
    await refusing.stop();
    await broker.start();
    await eventually(() => connection.isClosed() || connection.flush().then(() => true));
    expect(connection.isClosed()).toBe(false);
    await connection.close();
    await broker.stop();
  });
});
