import type { Socket } from 'node:net';
import { compile } from '@fastify/proxy-addr';
import { GatewayError } from '@mgw/contracts';
import { Shares, type Release } from '@mgw/shares';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../gateway.config';
import { networkOf, siteOfNetwork } from './caller';
import { untilClosed } from './response-end';

/** Requests of one connection in flight at once. Few clients pipeline, and each request takes memory. */
const MAX_PIPELINED = 8;
const RETRY_AFTER_SECONDS = 1;
/** A site has half as many places again as one of its networks: it may be one stranger, or many customers of a provider. */
const SITE_MULTIPLE = 1.5;
/**
 * The part of the connections that is kept free while there are idle ones to close, because many may arrive before one has closed. The
 * same part of the requests in flight is kept for sites that have none.
 */
const SPARE = 1 / 32;

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

/** Divides the requests in flight between networks, and between larger networks of IPv6, so that a newcomer finds a place. */
class RequestPlaces {
  private readonly networks: Shares;
  private readonly sites: Shares;
  private inFlight = 0;

  constructor(
    private readonly places: number,
    each: number,
  ) {
    this.networks = new Shares({ places, largest: Math.min(each / places, 1 / 2) });
    this.sites = new Shares({ places, largest: Math.min(each / places, 1 / 2) * SITE_MULTIPLE });
  }

  /** @returns a function that ends the request, or why it is refused */
  take(ip: string): Release | GatewayError {
    const network = networkOf(ip);
    const site = siteOfNetwork(network);
    const isNewcomer = this.sites.heldBy(site) === 0;
    const mayTake = this.networks.mayTake(network) && this.sites.mayTake(site) && (isNewcomer || this.inFlight < mostOf(this.places));
    if (!mayTake) return isNewcomer ? busy() : tooMany();
    this.inFlight += 1;
    const taken = [this.networks.tryTake(network), this.sites.tryTake(site)];
    return () => {
      this.inFlight -= 1;
      for (const release of taken) release?.();
    };
  }
}

/** Connections without a request in flight, by site. */
class IdleConnections {
  /** The one that has been idle for the longest time first. */
  private readonly bySite = new Map<string, Set<Socket>>();

  add(site: string, socket: Socket): void {
    const sockets = this.bySite.get(site) ?? new Set();
    this.bySite.set(site, sockets.add(socket));
  }

  remove(site: string, socket: Socket): void {
    const sockets = this.bySite.get(site);
    if (sockets?.delete(socket) && sockets.size === 0) this.bySite.delete(site);
  }

  closeOneOfGreediest(): void {
    const [greediest] = [...this.bySite].sort(([, one], [, other]) => other.size - one.size);
    if (!greediest) return;
    const [site, [socket]] = greediest;
    if (!socket) return;
    // The next newcomer may arrive before this one has closed.
    this.remove(site, socket);
    socket.destroy();
  }
}

const places = new WeakMap<FastifyRequest, Release>();

/** Releases the place of a request among those in flight, before its response closes. */
export function releasePlace(request: FastifyRequest): void {
  places.get(request)?.();
  places.delete(request);
}

/**
 * Divides connections and requests in flight between networks (guarantees N1, N2, decision 739). A trusted proxy may open any number of
 * connections, because its clients' requests count by their own addresses.
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
  const requests = new RequestPlaces(maxConnections, maxConnectionsPerAddress);
  const idle = new IdleConnections();
  /** The requests of each connection, and its site unless it belongs to a trusted proxy. */
  const used = new WeakMap<Socket, { site: string | null; requests: number }>();
  const mostOpen = mostOf(maxConnections);
  let open = 0;

  fastify.server.on('connection', (socket: Socket) => {
    open += 1;
    socket.once('close', () => (open -= 1));
    const { remoteAddress } = socket;
    const network = remoteAddress === undefined || isTrusted(remoteAddress, 0) ? null : networkOf(remoteAddress);
    const release = network === null ? null : connections.take(network);
    if (network !== null && !release) return void socket.destroy();
    if (open > mostOpen) idle.closeOneOfGreediest();
    if (network === null || !release) return;
    const site = siteOfNetwork(network);
    idle.add(site, socket);
    used.set(socket, { site, requests: 0 });
    socket.once('close', () => {
      release();
      idle.remove(site, socket);
    });
  });

  fastify.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const use = used.get(socket) ?? { site: null, requests: 0 };
    if (use.requests >= MAX_PIPELINED) {
      reply.hijack();
      socket.destroy();
      return;
    }
    // The response of a refused request may wait behind another one too, so the request counts on its connection.
    use.requests += 1;
    used.set(socket, use);
    if (use.site !== null) idle.remove(use.site, socket);
    const taken = requests.take(request.ip);
    const isRefused = taken instanceof GatewayError;
    if (!isRefused) places.set(request, taken);
    untilClosed(reply.raw, () => {
      releasePlace(request);
      use.requests -= 1;
      if (use.site !== null && use.requests === 0 && !socket.destroyed) idle.add(use.site, socket);
    });
    done(isRefused ? taken : undefined);
  });
}

function mostOf(places: number): number {
  return places - Math.ceil(places * SPARE);
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
