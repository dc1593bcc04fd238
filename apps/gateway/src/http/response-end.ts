import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Closes pipelined responses with their connection. A response gets the connection only after the one before it, and Node.js never closes one
 * that still waits for it: all that a request holds until its response closes would stay held (decision 724).
 */
export function closeWaitingResponses(fastify: FastifyInstance): void {
  const waiting = new WeakMap<Socket, Set<ServerResponse>>();
  const waitingOn = (socket: Socket): Set<ServerResponse> => {
    const known = waiting.get(socket);
    if (known) return known;
    const responses = new Set<ServerResponse>();
    waiting.set(socket, responses);
    socket.once('close', () => {
      for (const response of responses) {
        // Otherwise Node.js would take a response that ends later from the connection, which it does not have. The error ends the process.
        response.removeAllListeners('finish');
        // Node.js closes a response with the socket that it is assigned.
        response.assignSocket(new Socket().destroy());
      }
    });
    return responses;
  };
  fastify.addHook('onRequest', ({ raw: { socket } }, { raw: response }, done) => {
    if (response.socket === null) {
      const responses = waitingOn(socket).add(response);
      response.once('close', () => responses.delete(response));
    }
    done();
  });
}

/** Releases when the response closes, or at once if it has closed: a caller may leave while its request waits for something. */
export function untilClosed(response: ServerResponse, release: () => void): void {
  if (response.destroyed) release();
  else response.once('close', release);
}

/** Closes the connection of an open response. `destroy` alone would not close it while the response waits for the one before it. */
export function disconnect(response: ServerResponse): void {
  if (response.destroyed) return;
  response.destroy();
  response.req.socket.destroy();
}
