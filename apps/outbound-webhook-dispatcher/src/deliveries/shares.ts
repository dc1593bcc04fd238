import type { Attempt } from './deliveries.store';

/** Attempts under way in one process that are younger than `SLOW_MS`; the same again of businesses with older ones. */
const PER_PROCESS = 512;
const PER_WEBHOOK = 16;
const PER_BUSINESS = 64;
const PER_HOST = 128;
/** Bytes of bodies under way in one process: as strings and on their way to sockets they take up to three times as much. */
const BYTES = 16 * 1024 * 1024;
/** A business with an attempt under way for this long shares a pool of its own kind, in milliseconds. */
const SLOW_MS = 1_000;
/** A business gets at most a quarter of what is free, a host half: however many receivers hang, room stays (guarantees §10, N2). */
const OF_FREE = { business: 4, host: 2 };
/** Attempts that one statement claims at most. */
export const AT_ONCE = 64;
/** Webhooks that one look considers; each of them may begin an attempt. */
export const WEBHOOKS_CONSIDERED = 2 * AT_ONCE;

/** The attempts that may begin now, for the statements that claim them. */
export interface Room {
  /** Attempts that one statement may begin. */
  atOnce: number;
  /** Attempts and bytes that fit into the process. */
  free: number;
  freeBytes: number;
  /** Attempts of slow businesses that fit. */
  freeSlow: number;
  /** Attempts under way by webhook, business and host, bytes by business, and which businesses are slow. */
  busy: { webhooks: Counts; businesses: Counts; hosts: Counts; bytes: Counts; slow: Counts };
  /** Those that have used up their share. */
  full: { webhooks: string[]; businesses: string[]; hosts: string[] };
}

type Counts = Record<string, number>;

/** @param now as `performance.now()` */
export function roomBeside(running: Iterable<Attempt>, now = performance.now()): Room {
  const busy: Room['busy'] = { webhooks: {}, businesses: {}, hosts: {}, bytes: {}, slow: {} };
  const businessOf: Record<string, string> = {};
  let [free, freeBytes, freeSlow] = [PER_PROCESS, BYTES, PER_PROCESS];
  const add = (counts: Counts, key: string, by: number) => void (counts[key] = (counts[key] ?? 0) + by);
  for (const { webhook_id, business_id, url, bytes, begunAt } of running) {
    add(busy.webhooks, webhook_id, 1);
    add(busy.businesses, business_id, 1);
    add(busy.hosts, url.split('/')[2] ?? '', 1);
    add(busy.bytes, business_id, bytes);
    businessOf[webhook_id] = business_id;
    freeBytes -= bytes;
    if (now - begunAt < SLOW_MS) free -= 1;
    else busy.slow[business_id] = 1;
  }
  for (const id of Object.keys(busy.slow)) freeSlow -= busy.businesses[id] ?? 0;
  const perBusiness = (id: string) =>
    Math.min(PER_BUSINESS, Math.floor(id in busy.slow ? freeSlow / OF_FREE.business : Math.max(1, free / OF_FREE.business)));
  const perWebhook = (business: string) => Math.min(PER_WEBHOOK, Math.max(1, perBusiness(business) - (busy.businesses[business] ?? 0)));
  const perHost = Math.min(PER_HOST, Math.max(1, Math.floor(free / OF_FREE.host)));
  return {
    atOnce: freeBytes <= 0 ? 0 : Math.max(0, Math.min(AT_ONCE, free)),
    free,
    freeBytes,
    freeSlow,
    busy,
    full: {
      webhooks: keys(busy.webhooks, (count, id) => count >= perWebhook(businessOf[id] ?? '')),
      businesses: keys(busy.businesses, (count, id) => count >= perBusiness(id) || (busy.bytes[id] ?? 0) > freeBytes / OF_FREE.business),
      hosts: keys(busy.hosts, (count) => count >= perHost),
    },
  };
}

function keys(counts: Counts, isFull: (count: number, key: string) => boolean): string[] {
  return Object.keys(counts).filter((key) => isFull(counts[key] ?? 0, key));
}

/**
 * The same rules for what one statement begins, as common table expressions from `candidate` to `admitted`.
 * @param parameters of the statement, by their numbers, that hold these
 */
export function admission({
  atOnce,
  free,
  freeBytes,
  freeSlow,
  busy,
}: Record<'atOnce' | 'free' | 'freeBytes' | 'freeSlow' | 'busy', string>): string {
  const under = (what: keyof Room['busy'], key: string) => underWay(busy, what, key);
  return `
    ranked AS (
      -- The webhooks of a business in turn.
      SELECT c.*, ${under('businesses', 'c.business_id')} + row_number() OVER of_business AS business_nth,
             ${under('bytes', 'c.business_id')} + sum(c.bytes) OVER of_business - c.bytes AS business_bytes,
             ${under('hosts', 'c.host')} + row_number() OVER (PARTITION BY c.host ORDER BY c.webhook_nth, c.age) AS host_nth
      FROM (SELECT candidate.*, ${under('webhooks', 'webhook_id')} + row_number() OVER (PARTITION BY webhook_id ORDER BY age) AS webhook_nth
            FROM candidate) c
      WINDOW of_business AS (PARTITION BY c.business_id ORDER BY c.webhook_nth, c.age ROWS UNBOUNDED PRECEDING)
    ), placed AS (
      -- First the businesses that have the least under way.
      SELECT ranked.*, row_number() OVER in_order - 1 AS ahead, sum(bytes) OVER in_order - bytes AS bytes_ahead
      FROM ranked WINDOW in_order AS (ORDER BY business_nth, age ROWS UNBOUNDED PRECEDING)
    ), shared AS (
      SELECT placed.*, least(${PER_BUSINESS}, CASE WHEN ${under('slow', 'business_id')} > 0 THEN (${freeSlow} - ahead) / ${OF_FREE.business}
                                                  ELSE greatest(1, (${free} - ahead) / ${OF_FREE.business}) END) AS per_business
      FROM placed WHERE ahead < ${atOnce} AND bytes_ahead < ${freeBytes}
    ), admitted AS MATERIALIZED (
      SELECT * FROM shared
      WHERE business_nth <= per_business AND business_bytes <= (${freeBytes} - bytes_ahead) / ${OF_FREE.business}
        AND webhook_nth <= least(${PER_WEBHOOK}, greatest(1, per_business - business_nth + 1))
        AND host_nth <= least(${PER_HOST}, greatest(1, (${free} - ahead) / ${OF_FREE.host}))
    )`;
}

/** Lanes of one webhook that a look considers beside others, by what is under way: SQL. */
export function lanesConsidered(webhook: string, webhooks: string, busy: string): string {
  return `greatest(1, least(${PER_WEBHOOK} - ${underWay(busy, 'webhooks', webhook)}, ${WEBHOOKS_CONSIDERED} / ${webhooks}))`;
}

function underWay(busy: string, what: keyof Room['busy'], key: string): string {
  return `coalesce((${busy}::jsonb -> '${what}' ->> ${key}::text)::bigint, 0)`;
}
