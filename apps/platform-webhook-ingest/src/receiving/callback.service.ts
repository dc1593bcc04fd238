import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { OutboxRelay } from '@mgw/events';
import { crashPoint } from '@mgw/faults';
import { activeTraceparent } from '@mgw/telemetry';
import type { ConnectionMap } from '../connections/connection-map';
import { ConnectionsService, unreadable } from '../connections/connections.service';
import { Signatures } from '../connections/signatures';
import { readCallback, UnusualCallbackError } from '../splitting/read-callback';
import { SplitterService, splitOrSetAside } from '../splitting/splitter.service';
import { EventsInFlight } from '../splitting/events-in-flight';
import { CallbackTimesStore } from '../callbacks/callback-times.store';
import { CallbacksStore, type NewCallback } from '../callbacks/callbacks.store';
import { IntakeLimits } from './intake-limits';
import { recordUpdates } from '../callbacks/update-counts';
import { changesOf, countUpdates, laneOf, type Change, type Owners } from '../splitting/changes';
import { LARGE_BYTES } from '../callbacks/stored-callback';
import { StorageBudget } from './storage-budget';

/** The updates of one business in a callback, or those without an owner. */
interface Part {
  /** The business; 0 if no business with the app secret claims the number or account. */
  lane: number;
  parsed: unknown;
  /** The received bytes if the callback is for one business. */
  body: Buffer;
}

interface Division {
  parts: Part[];
  /** The connections that it was divided with. */
  map: ConnectionMap;
  /** Set if updates without an owner were left out: the platform has to send the callback again (decision 749). */
  refusal?: unknown;
}

/**
 * Divides a callback by business, because each business's updates wait in a lane of their own. Nearly every callback is for one
 * business and stays whole. Updates without an owner may wait for connections that cannot be read, so they have a lane of their own too
 * (decision 752). Updates that name no number or account go with the first part.
 */
function divide(parsed: unknown, all: Change[], body: Buffer, signers: ReadonlySet<number>, owners: Owners): Part[] {
  const changes = all.map((change) => ({ ...change, lane: laneOf(change, signers, owners) }));
  const lanes = new Set(changes.flatMap(({ lane }) => lane ?? []));
  const [first = 0] = lanes;
  if (lanes.size <= 1) return [{ lane: first, parsed, body }];
  return [...lanes].map((lane) => {
    const own = changes.filter((change) => (change.lane ?? first) === lane);
    const entry = own.map(({ account, time, field, value }) => ({ id: account, time, changes: [{ field, value }] }));
    const part = { object: 'whatsapp_business_account', entry };
    return { lane, parsed: part, body: Buffer.from(JSON.stringify(part)) };
  });
}

/**
 * The same bytes may arrive under the app secrets of several businesses, or again after their number was connected. A repeat is therefore
 * known only in its lane and by the updates of its part; without an owner, only for the same signers (decision 257).
 */
function hashInLane(partHash: Buffer, lane: number, businesses: number[]): Buffer {
  const place = lane === 0 ? `0:${businesses.toSorted((a, b) => a - b).join(',')}` : String(lane);
  return createHash('sha256').update(partHash).update(place).digest();
}

function sha256(body: Buffer): Buffer {
  return createHash('sha256').update(body).digest();
}

/** Verifies and stores the platform's callbacks. A signed callback that the gateway does not understand is 200 (guarantees §2). */
@Injectable()
export class CallbackService {
  private readonly limits = new IntakeLimits();

  constructor(
    private readonly connections: ConnectionsService,
    private readonly signatures: Signatures,
    private readonly callbacks: CallbacksStore,
    private readonly times: CallbackTimesStore,
    private readonly budget: StorageBudget,
    private readonly splitter: SplitterService,
    private readonly inFlight: EventsInFlight,
    private readonly relay: OutboxRelay,
  ) {}

  /**
   * @returns the HTTP status for the platform, 200 only for a stored body
   * @throws GatewayError OVERLOADED
   */
  async receive(body: Buffer, signature: string | null): Promise<200 | 400 | 401> {
    const claimed = /^sha256=([0-9a-f]{64})$/i.exec(signature ?? '')?.[1];
    if (!claimed) return 401;
    return this.limits.inTotal(body.length, async () => {
      const signers = await this.signatures.signersOf(body, Buffer.from(claimed, 'hex'));
      const [first] = signers;
      if (first === undefined) return 401;
      const lane = (await this.connections.current()).signerNamed(body, signers) ?? first;
      this.budget.check(lane);
      return this.limits.inLane(lane, body.length, () => this.storeParts(body, signers, lane));
    });
  }

  /** @throws GatewayError OVERLOADED if the token may be one of an announced change that cannot be read, or one whose key the ring lacks */
  async verify(mode: string, token: string): Promise<boolean> {
    if (mode !== 'subscribe' || token === '') return false;
    const businesses = await this.businessesWithVerifyToken(token);
    for (const businessId of businesses) this.times.record('handshake', businessId);
    return businesses.length > 0;
  }

  private async businessesWithVerifyToken(token: string): Promise<number[]> {
    const known = (await this.connections.current()).businessesWithVerifyToken(token);
    if (known.length > 0) return known;
    const { map, isComplete } = await this.connections.newer();
    const found = map.businessesWithVerifyToken(token);
    if (found.length === 0 && !isComplete) throw unreadable();
    return found;
  }

  private async storeParts(body: Buffer, businesses: number[], lane: number): Promise<200 | 400> {
    const division = await this.divide(body, businesses, lane);
    if (division === undefined) return 400;
    const { parts, map, refusal } = division;
    const wholeHash = sha256(body);
    await Promise.all(
      parts.map(async (part) => {
        const partHash = part.body === body ? wholeHash : sha256(part.body);
        const isNew = await this.store(part, map, { wholeHash, hash: hashInLane(partHash, part.lane, businesses) }, businesses);
        if (isNew) this.budget.spend(lane, part.body.length, countUpdates(changesOf(part.parsed)));
      }),
    );
    if (refusal !== undefined) throw refusal;
    return 200;
  }

  /** @returns undefined if it is not JSON */
  private async divide(body: Buffer, businesses: number[], lane: number): Promise<Division | undefined> {
    let parsed: unknown;
    try {
      parsed = readCallback(body);
    } catch (error) {
      if (!(error instanceof UnusualCallbackError)) return undefined;
      return { parts: [{ lane, parsed: undefined, body }], map: await this.connections.current() };
    }
    const changes = changesOf(parsed);
    const signers = new Set(businesses);
    const dividedBy = (map: ConnectionMap) => ({ parts: divide(parsed, changes, body, signers, map), map });
    try {
      return dividedBy(await this.connections.forChanges(changes, signers));
    } catch (refusal) {
      const { parts, map } = dividedBy(await this.connections.current());
      return { parts: parts.filter((part) => part.lane !== 0), map, refusal };
    }
  }

  /** @returns false if it was stored before */
  private async store(
    { lane, parsed, body }: Part,
    map: ConnectionMap,
    hashes: Pick<NewCallback, 'hash' | 'wholeHash'>,
    businesses: number[],
  ): Promise<boolean> {
    const isSplitFirst = parsed !== undefined && body.length <= LARGE_BYTES && this.inFlight.admits(lane, 1);
    const split = isSplitFirst ? await splitOrSetAside(parsed, { body, businesses }, map) : null;
    const updates = split !== null && this.inFlight.admits(lane, split.events.length) ? split : null;
    const stored = await this.callbacks.add({ ...hashes, body, businesses, lane, updates, traceparent: activeTraceparent() ?? null });
    crashPoint('ingest.after-store');
    if (lane !== 0) this.times.record('callback', lane);
    if (stored === 'known') return false;
    if (stored === 'waits') this.splitter.wake();
    else if (split !== null) {
      this.inFlight.add(lane, split.events.length);
      recordUpdates(split);
      this.relay.publishCommitted(stored);
    }
    return true;
  }
}
