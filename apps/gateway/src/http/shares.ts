import type { Socket } from 'node:net';
import { compile } from '@fastify/proxy-addr';
import { GatewayError } from '@mgw/contracts';
import type { FastifyInstance } from 'fastify';
import type { GatewayConfig } from '../gateway.config';
import { networkOf } from './caller';
import { untilClosed } from './response-end';

/** Requests of one connection in flight at once. Few clients pipeline, and each request takes memory. */
const MAX_PIPELINED = 8;
const RETRY_AFTER_SECONDS = 1;

/** Counts uses by name, up to a limit per name. */
class CountPerName {
  private readonly counts = new Map<string, number>();

  constructor(private readonly limit: number) {}

  /** @returns a function that ends the use, or null at the limit */
  take(name: string): (() => void) | null {
    const count = this.counts.get(name) ?? 0;
    if (count >= this.limit) return null;
    this.counts.set(name, count + 1);
    return () => {
      const left = (this.counts.get(name) ?? 0) - 1;
      if (left > 0) this.counts.set(name, left);
      else this.counts.delete(name);
    };
  }
}

/**
 * Limits each network to a share of the connections and of the requests in flight (guarantees N1, N2). A trusted proxy may open any
 * number of connections, because its clients' requests count by their own addresses.
 */
export function shareConnections(
  fastify: FastifyInstance,
  {
    trustedProxies,
    maxConnections,
    maxConnectionsPerAddress,
  }: Pick<GatewayConfig, 'trustedProxies' | 'maxConnections' | 'maxConnectionsPerAddress'>,
): void {
  const isTrusted = compile(trustedProxies);
  const connections = new CountPerName(maxConnectionsPerAddress);
  const requests = new CountPerName(maxConnectionsPerAddress);
  const pipelined = new WeakMap<Socket, number>();
  let inFlight = 0;

  fastify.server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isTrusted(remoteAddress, 0)) return;
    const release = connections.take(networkOf(remoteAddress));
    if (release) socket.once('close', release);
    else socket.destroy();
  });

  fastify.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const onSocket = pipelined.get(socket) ?? 0;
    if (onSocket >= MAX_PIPELINED) {
      reply.hijack();
      socket.destroy();
      return;
    }
    if (inFlight >= maxConnections) return done(busy());
    const release = requests.take(networkOf(request.ip));
    if (!release) return done(tooMany());
    inFlight += 1;
    pipelined.set(socket, onSocket + 1);
    untilClosed(reply.raw, () => {
      release();
      inFlight -= 1;
      pipelined.set(socket, (pipelined.get(socket) ?? 1) - 1);
    });
    done();
  });
}

function busy(): GatewayError {
  return new GatewayError(
    'OVERLOADED',
    'Too many requests are in flight. Try again shortly.',
    { retry_after_seconds: RETRY_AFTER_SECONDS },
    503,
  );
}

function tooMany(): GatewayError {
  const message = 'Too many requests of this address are in flight. Wait for some of them to end.';
  return new GatewayError('RATE_LIMITED', message, { retry_after_seconds: RETRY_AFTER_SECONDS });
}
