import type { Attempt } from './attempt';

/** Attempts in progress in one process that are younger than `SLOW_AFTER_MS`. Businesses with older ones share a second pool of the same size. */
const PER_PROCESS = 512;
/** All attempts in progress in one process. A connection takes up to 32 kB of heap and 80 kB of other memory. */
const MAX_IN_PROGRESS = 4 * PER_PROCESS;
const PER_WEBHOOK = 16;
const PER_BUSINESS = 64;
const PER_HOST = 128;
/** Bytes of bodies in progress in one process. They take up to three times as much in strings and sockets. */
const BYTES = 16 * 1024 * 1024;
/** A business with an attempt in progress for this long moves to the pool of slow businesses. */
const SLOW_AFTER_MS = 1_000;
/**
 * A business gets at most a quarter of the free places, and a host half of them. So places stay free however many receivers hang
 * (guarantees §10, N2).
 */
const PART_OF_FREE = { business: 4, host: 2 };
/** Attempts that one statement claims at most. */
export const CLAIM_BATCH = 64;
/**
 * The statement that expands events into deliveries starts these itself if they are few and have room in any order. Otherwise `claim` decides:
 * the comparison of shares in SQL costs more than all the rest of the expansion of one event (decision 698).
 */
const DIRECT = { attempts: 8, bytes: 1024 * 1024 };
/** Webhooks that one claim considers; each of them may get an attempt. */
export const WEBHOOKS_CONSIDERED = 2 * CLAIM_BATCH;

/** How many attempts may begin now, for the statements that claim them. */
export interface Capacity {
  /** Attempts that one statement may claim. */
  claims: number;
  /** Free places for attempts. */
  free: number;
  freeBytes: number;
  /** Free places for attempts of slow businesses. */
  freeSlow: number;
  /** Attempts in progress by webhook, business and host, bytes by business, and the slow businesses. */
  busy: { webhooks: Counts; businesses: Counts; hosts: Counts; bytes: Counts; slow: Counts };
  /** Those that have used up their share. */
  full: Receivers;
  /** Deliveries, and bytes of their bodies, that an expansion may start itself. */
  direct: { attempts: number; bytes: number };
  /** Those whose share has no room for that many. */
  crowded: Receivers;
}

interface Receivers {
  webhooks: string[];
  businesses: string[];
  hosts: string[];
}

type Counts = Record<string, number>;

/** @param now as `performance.now()` */
export function capacityBeside(running: Iterable<Attempt>, now = performance.now()): Capacity {
  const busy: Capacity['busy'] = { webhooks: {}, businesses: {}, hosts: {}, bytes: {}, slow: {} };
  const businessByWebhook: Record<string, string> = {};
  let [young, all, freeBytes, freeSlow] = [0, 0, BYTES, PER_PROCESS];
  const add = (counts: Counts, key: string, by: number) => void (counts[key] = (counts[key] ?? 0) + by);
  for (const { webhook_id, business_id, url, bytes, claimedAt } of running) {
    add(busy.webhooks, webhook_id, 1);
    add(busy.businesses, business_id, 1);
    add(busy.hosts, url.split('/')[2] ?? '', 1);
    add(busy.bytes, business_id, bytes);
    businessByWebhook[webhook_id] = business_id;
    freeBytes -= bytes;
    all += 1;
    if (now - claimedAt < SLOW_AFTER_MS) young += 1;
    else busy.slow[business_id] = 1;
  }
  const free = Math.min(PER_PROCESS - young, MAX_IN_PROGRESS - all);
  for (const id of Object.keys(busy.slow)) freeSlow -= busy.businesses[id] ?? 0;
  const perBusiness = (id: string) =>
    Math.min(PER_BUSINESS, Math.floor(id in busy.slow ? freeSlow / PART_OF_FREE.business : Math.max(1, free / PART_OF_FREE.business)));
  const perWebhook = (business: string) => Math.min(PER_WEBHOOK, Math.max(1, perBusiness(business) - (busy.businesses[business] ?? 0)));
  const perHost = Math.min(PER_HOST, Math.max(1, Math.floor(free / PART_OF_FREE.host)));
  const claims = freeBytes <= 0 ? 0 : Math.max(0, Math.min(CLAIM_BATCH, free));
  const { attempts, bytes } = DIRECT;
  // The shares of the last of them, when the others have begun.
  const businessAfter = Math.min(PER_BUSINESS, Math.floor((free - attempts) / PART_OF_FREE.business));
  const hostAfter = Math.min(PER_HOST, Math.floor((free - attempts) / PART_OF_FREE.host));
  const bytesAfter = (freeBytes - bytes) / PART_OF_FREE.business;
  const hasRoom = claims >= attempts && businessAfter >= 2 * attempts && bytesAfter >= bytes;
  return {
    claims,
    free,
    freeBytes,
    freeSlow,
    busy,
    full: {
      webhooks: keys(busy.webhooks, (count, id) => count >= perWebhook(businessByWebhook[id] ?? '')),
      businesses: keys(
        busy.businesses,
        (count, id) => count >= perBusiness(id) || (busy.bytes[id] ?? 0) > freeBytes / PART_OF_FREE.business,
      ),
      hosts: keys(busy.hosts, (count) => count >= perHost),
    },
    direct: hasRoom ? DIRECT : { attempts: 0, bytes: 0 },
    crowded: {
      webhooks: keys(busy.webhooks, (count) => count + attempts > PER_WEBHOOK),
      // A webhook gets what its business leaves, which is enough for all of them if it leaves that much for the webhook's own.
      businesses: keys(
        busy.businesses,
        (count, id) => id in busy.slow || 2 * (count + attempts) > businessAfter || (busy.bytes[id] ?? 0) + bytes > bytesAfter,
      ),
      hosts: keys(busy.hosts, (count) => count + attempts > hostAfter),
    },
  };
}

function keys(counts: Counts, isFull: (count: number, key: string) => boolean): string[] {
  return Object.keys(counts).filter((key) => isFull(counts[key] ?? 0, key));
}

/**
 * SQL of the same rules for the attempts that one statement claims: common table expressions from `candidate` to `admitted`.
 * @param parameters placeholders of the statement that hold these values
 */
export function admission(parameters: Record<'claims' | 'free' | 'freeBytes' | 'freeSlow' | 'busy', string>): string {
  const { claims, free, freeBytes, freeSlow, busy } = parameters;
  const inProgress = (kind: keyof Capacity['busy'], key: string) => countInProgress(busy, kind, key);
  return `
    ranked AS (
      -- The webhooks of a business take turns.
      SELECT c.*, ${inProgress('businesses', 'c.business_id')} + row_number() OVER of_business AS business_nth,
             ${inProgress('bytes', 'c.business_id')} + sum(c.bytes) OVER of_business - c.bytes AS business_bytes,
             ${inProgress('hosts', 'c.host')} + row_number() OVER (PARTITION BY c.host ORDER BY c.webhook_nth, c.age) AS host_nth
      FROM (SELECT candidate.*, ${inProgress('webhooks', 'webhook_id')} + row_number() OVER (PARTITION BY webhook_id ORDER BY age) AS webhook_nth
            FROM candidate) c
      WINDOW of_business AS (PARTITION BY c.business_id ORDER BY c.webhook_nth, c.age ROWS UNBOUNDED PRECEDING)
    ), placed AS (
      -- Businesses with the fewest attempts in progress come first.
      SELECT ranked.*, row_number() OVER in_order - 1 AS ahead, sum(bytes) OVER in_order - bytes AS bytes_ahead
      FROM ranked WINDOW in_order AS (ORDER BY business_nth, age ROWS UNBOUNDED PRECEDING)
    ), shared AS (
      SELECT placed.*, least(${PER_BUSINESS}, CASE WHEN ${inProgress('slow', 'business_id')} > 0 THEN (${freeSlow} - ahead) / ${PART_OF_FREE.business}
                                                  ELSE greatest(1, (${free} - ahead) / ${PART_OF_FREE.business}) END) AS per_business
      FROM placed WHERE ahead < ${claims} AND bytes_ahead < ${freeBytes}
    ), admitted AS MATERIALIZED (
      SELECT * FROM shared
      WHERE business_nth <= per_business AND business_bytes <= (${freeBytes} - bytes_ahead) / ${PART_OF_FREE.business}
        AND webhook_nth <= least(${PER_WEBHOOK}, greatest(1, per_business - business_nth + 1))
        AND host_nth <= least(${PER_HOST}, greatest(1, (${free} - ahead) / ${PART_OF_FREE.host}))
    )`;
}

/** SQL: how many lanes of one webhook a claim considers, given its attempts in progress and how many webhooks it considers. */
export function lanesConsidered(webhook: string, webhooks: string, busy: string): string {
  return `greatest(1, least(${PER_WEBHOOK} - ${countInProgress(busy, 'webhooks', webhook)}, ${WEBHOOKS_CONSIDERED} / ${webhooks}))`;
}

function countInProgress(busy: string, kind: keyof Capacity['busy'], key: string): string {
  return `coalesce((${busy}::jsonb -> '${kind}' ->> ${key}::text)::bigint, 0)`;
}
