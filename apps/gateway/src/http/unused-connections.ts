import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Closes, at a stop, connections without any request. Node.js closes only those that were used, and waits for the others: clients open
 * some in advance.
 */
export function closeUnusedConnections(fastify: FastifyInstance): void {
  const unused = new Set<Socket>();
  fastify.server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  fastify.addHook('onRequest', ({ raw }, _reply, done) => {
    unused.delete(raw.socket);
    done();
  });
  fastify.addHook('preClose', (done) => {
    // A request whose first bytes have arrived is still served.
    for (const socket of unused) if (socket.bytesRead === 0) socket.destroy();
    done();
  });
}
