import { Injectable } from '@nestjs/common';
import { respondedWithin } from '@mgw/deadlines';
import { Redis } from 'ioredis';
import { GatewayConfig } from '../gateway.config';

/** A request to `/api/v1` that failed, as Redis stores it. */
export interface StoredRequest {
  /** The time of the response; with a count, of the last one. */
  at: string;
  request_id: string;
  method: string;
  route: string;
  status: number;
  error_code: string;
  /** The faulty fields that a request class has. */
  fields: string[];
  duration_ms: number;
  api_key: { id: number; name: string };
  /** The first key of the key's rotations. */
  sends_as: number;
  ip: string;
  /** How many requests the entry counts: same key, method, route, status and code. */
  count: number;
}

/** Entries that Redis keeps of each business. */
export const KEPT = 200;
const KEPT_SECONDS = 7 * 24 * 3_600;
const READ_WITHIN_MS = 500;
/** Ends the connection if Redis is silent for this long, so that commands do not pile up. */
const SILENT_WITHIN_MS = 2_000;

const listOf = (businessId: number): string => `requests:${businessId}`;

/** The lists of failed requests. It has its own connection, because a long list must not delay the limits. */
@Injectable()
export class RequestLogStore {
  private readonly redis: Redis;

  constructor({ redisUrl }: GatewayConfig) {
    this.redis = new Redis(redisUrl, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: 2_000,
      socketTimeout: SILENT_WITHIN_MS,
      disconnectTimeout: 100,
      retryStrategy: (attempt) => Math.min(1_000, 50 * attempt),
    });
    // The store of the limits logs that Redis does not respond.
    this.redis.on('error', () => undefined);
  }

  /** Adds the entries in one round trip. @throws Error if Redis does not respond or refuses */
  async add(entries: ReadonlyMap<number, StoredRequest[]>): Promise<void> {
    const pipeline = this.redis.pipeline();
    for (const [businessId, requests] of entries) {
      const list = listOf(businessId);
      pipeline.lpush(list, ...requests.map((request) => JSON.stringify(request)));
      pipeline.ltrim(list, 0, KEPT - 1).expire(list, KEPT_SECONDS);
    }
    for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
  }

  /** @returns those that were written last first @throws Error if Redis does not respond */
  async list(businessId: number): Promise<StoredRequest[]> {
    const entries = await inTime(this.redis.lrange(listOf(businessId), 0, KEPT - 1));
    return entries.map((entry) => JSON.parse(entry) as StoredRequest);
  }

  close(): void {
    this.redis.disconnect();
  }
}

function inTime<T>(response: Promise<T>): Promise<T> {
  return respondedWithin(READ_WITHIN_MS, response, () => new Error(`Redis did not respond within ${READ_WITHIN_MS} ms`));
}
