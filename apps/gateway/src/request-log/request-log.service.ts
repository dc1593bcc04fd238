import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { GatewayError } from '@mgw/contracts';
import { LOGGER } from '@mgw/service';
import { Shares, type Release } from '@mgw/shares';
import { counter, RepeatedWarning, type Logger } from '@mgw/telemetry';
import type { FastifyReply } from 'fastify';
import { INTERNAL_ONLY } from '../errors/error.filter';
import { detached, type AuthenticatedRequest } from '../http/caller';
import { knownFields } from './known-fields';
import { RequestLogStore, type StoredRequest } from './request-log.store';

const FLUSH_EVERY_MS = 1_000;
/** A kind that repeats is written after a longer pause each time, up to this one. */
const MAX_PAUSE_MS = 64_000;
/** Kinds in memory. A single business gets a hundred of them. */
const KINDS = { places: 2_000, largest: 1 / 20 };

/** Requests of one business with the same key, method, route, status and code. */
interface Kind {
  businessId: number;
  /** The newest of those that are not written; its count has all of them. */
  waiting: StoredRequest | null;
  pauseMs: number;
  dueAt: number;
  release: Release;
}

interface RequestFilter {
  status?: '4xx' | '5xx' | undefined;
  api_key_id?: number | undefined;
  limit: number;
}

const dropped = counter('mgw_request_log_dropped_total', 'Failed requests that the request log does not have: full, or redis', ['reason']);

/**
 * The failed requests of each business, for its integrators (decision 660). Responses never wait for it, and losing entries is allowed.
 * It stores the route and known names, never the path, the query, the body or the key (guarantees §9).
 */
@Injectable()
export class RequestLog implements OnApplicationShutdown {
  private readonly kinds = new Map<string, Kind>();
  private readonly shares = new Shares(KINDS);
  private timer: NodeJS.Timeout | undefined;
  private isWriting = false;
  private readonly failed: RepeatedWarning;

  constructor(
    private readonly store: RequestLogStore,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.failed = new RepeatedWarning(logger, 'Redis did not store failed requests: the request log misses them');
  }

  /** Adds a request that failed, if its key is known. */
  add(request: AuthenticatedRequest, reply: FastifyReply): void {
    const key = request.user ?? request.refusedKey;
    const route = request.routeOptions.url;
    if (!key || !('api_key_id' in key) || route === undefined) return;
    const { api_key_id, api_key_name, sends_as } = key;
    const code = reply.errorCode ?? 'INTERNAL';
    this.collect(key.business.id, {
      at: new Date().toISOString(),
      request_id: request.id,
      method: request.method,
      route,
      status: reply.statusCode,
      error_code: INTERNAL_ONLY.has(code) ? 'INTERNAL' : code,
      fields: knownFields(reply.errorDetails),
      duration_ms: Math.round(reply.elapsedTime),
      api_key: { id: api_key_id, name: api_key_name },
      sends_as,
      ip: detached(request.ip),
      count: 1,
    });
  }

  /** @throws GatewayError INTERNAL if Redis does not respond */
  async list(businessId: number, { status, api_key_id, limit }: RequestFilter): Promise<Omit<StoredRequest, 'sends_as'>[]> {
    const stored = await this.store.list(businessId).catch(() => {
      throw new GatewayError('INTERNAL', 'The request log does not respond. Try again shortly.', { retryable: true }, 503);
    });
    // Gateways write at their own times, and a kind that repeats late.
    return stored
      .sort((a, b) => b.at.localeCompare(a.at))
      .filter((request) => status === undefined || status === `${Math.floor(request.status / 100)}xx`)
      .filter(({ api_key, sends_as }) => api_key_id === undefined || [api_key.id, sends_as].includes(api_key_id))
      .slice(0, limit)
      .map(({ sends_as: _, ...request }) => request);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush(Infinity);
    this.store.close();
  }

  private collect(businessId: number, request: StoredRequest): void {
    const { api_key, method, route, status, error_code } = request;
    const name = `${api_key.id} ${method} ${route} ${status} ${error_code}`;
    const kind = this.kinds.get(name) ?? this.newKind(name, businessId);
    if (kind) kind.waiting = { ...request, count: (kind.waiting?.count ?? 0) + 1 };
    else dropped.inc({ reason: 'full' });
  }

  private newKind(name: string, businessId: number): Kind | null {
    const release = this.shares.tryTake(String(businessId));
    if (release === null) return null;
    const kind: Kind = { businessId, waiting: null, pauseMs: FLUSH_EVERY_MS, dueAt: 0, release };
    this.kinds.set(name, kind);
    this.timer ??= setInterval(() => void this.flush(Date.now()), FLUSH_EVERY_MS).unref();
    return kind;
  }

  /** Writes the kinds that are due, and drops those that did not repeat within their pause. */
  private async flush(now: number): Promise<void> {
    if (this.isWriting) return;
    const entries = new Map<number, StoredRequest[]>();
    for (const [name, kind] of this.kinds) {
      if (kind.dueAt > now) continue;
      if (kind.waiting === null) {
        this.kinds.delete(name);
        kind.release();
        continue;
      }
      const requests = entries.get(kind.businessId) ?? [];
      entries.set(kind.businessId, requests);
      requests.push(kind.waiting);
      kind.waiting = null;
      kind.dueAt = now + kind.pauseMs;
      kind.pauseMs = Math.min(2 * kind.pauseMs, MAX_PAUSE_MS);
    }
    if (this.kinds.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
    if (entries.size > 0) await this.write(entries);
  }

  private async write(entries: Map<number, StoredRequest[]>): Promise<void> {
    for (const requests of entries.values()) requests.sort((a, b) => a.at.localeCompare(b.at));
    this.isWriting = true;
    try {
      await this.store.add(entries);
    } catch (error) {
      this.failed.warn(error);
      const lost = [...entries.values()].flat().reduce((sum, { count }) => sum + count, 0);
      dropped.inc({ reason: 'redis' }, lost);
    } finally {
      this.isWriting = false;
    }
  }
}
