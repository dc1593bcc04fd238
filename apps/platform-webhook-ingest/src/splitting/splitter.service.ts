import { Inject, Injectable } from '@nestjs/common';
import { OutboxRelay } from '@mgw/events';
import { BackgroundLoop, LOGGER } from '@mgw/service';
import { withTraceparent, type Logger } from '@mgw/telemetry';
import type { ConnectionMap } from '../connections/connection-map';
import { ConnectionsService } from '../connections/connections.service';
import { wholeDeadLetter, type SignedBody, type StoredCallback, type Updates } from '../callbacks/stored-callback';
import { WaitingCallbacksStore, type Split } from '../callbacks/waiting-callbacks.store';
import { changesOf, haveOwners, type Change } from './changes';
import { readCallback } from './read-callback';
import { splitCallback } from './split-callback';
import { EventsInFlight } from './events-in-flight';

/** How often the splitter looks for callbacks of a dead replica, in milliseconds. */
const POLL_EVERY_MS = 1_000;
/** How soon the splitter polls again while lanes wait for room, in milliseconds. */
const POLL_WAITING_MS = 50;
const RETRY_MS = 500;
/** Events of one lane before the next lane's turn. */
const MAX_IN_A_TURN = 250;

/** Splits the stored callbacks that were not split on arrival. The lanes take turns. */
@Injectable()
export class SplitterService extends BackgroundLoop {
  private replayAt = 0;
  /** When to try lanes again that failed. */
  private readonly retryAt = new Map<number | string, number>();

  constructor(
    private readonly waiting: WaitingCallbacksStore,
    private readonly connections: ConnectionsService,
    private readonly inFlight: EventsInFlight,
    private readonly relay: OutboxRelay,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super({ name: 'reading waiting callbacks', logger, relay, retryMs: RETRY_MS });
  }

  protected async round(): Promise<number> {
    const lanes = await this.waiting.lanes();
    this.inFlight.divideAmong(lanes.length);
    let progress = await this.replay();
    for (const lane of lanes) if (!this.isStopping) progress += await this.splitLane(lane);
    if (progress > 0) return 0;
    return lanes.length > 0 ? POLL_WAITING_MS : POLL_EVERY_MS;
  }

  /** @returns how many dead letters were replayed, at most 1 */
  private async replay(): Promise<number> {
    if (performance.now() < this.replayAt) return 0;
    const count = await this.attempt('replays', async (split) => Number(await this.waiting.replay((letter) => split(letter, true))));
    if (count === 0) this.replayAt = performance.now() + POLL_EVERY_MS / 2;
    return count;
  }

  /** @returns how many callbacks were split */
  private async splitLane(lane: number): Promise<number> {
    const room = Math.min(MAX_IN_A_TURN, this.inFlight.room(lane));
    if (room === 0 || performance.now() < (this.retryAt.get(lane) ?? 0)) return 0;
    return this.attempt(lane, async (split) => {
      const { callbacks, events } = await this.waiting.splitLane(lane, room, split);
      this.inFlight.add(lane, events);
      return callbacks;
    });
  }

  /** A lane that fails does not hold up the others. */
  private async attempt(lane: number | string, work: (split: SplitStored) => Promise<number>): Promise<number> {
    try {
      const current = await this.connections.current();
      // One read serves all callbacks of the turn, because they were stored before it.
      let latest: Promise<ConnectionMap> | undefined;
      const mapFor = (changes: Change[], signers: ReadonlySet<number>) =>
        haveOwners(changes, signers, current) ? current : (latest ??= this.connections.withChanges());
      const count = await work((callback, isReplay = false) => splitStored(callback, mapFor, isReplay));
      if (count > 0) this.relay.wake();
      this.retryAt.delete(lane);
      return count;
    } catch (error) {
      this.retryAt.set(lane, performance.now() + RETRY_MS);
      this.logger.warn({ err: error, lane }, 'splitting callbacks failed; they stay stored, will retry');
      return 0;
    }
  }
}

/** @param isReplay whether an operator replays a dead letter: an owner may have corrected the app secret since (decision 786) */
type SplitStored = (callback: StoredCallback, isReplay?: boolean) => ReturnType<Split>;

/** Chooses the connections to split a callback with: all announced changes count if an update lacks its owner. */
type MapFor = (changes: Change[], signers: ReadonlySet<number>) => ConnectionMap | Promise<ConnectionMap>;

/** @throws the error of `mapFor`: the callback waits for connections that can be read */
function splitStored(callback: StoredCallback, mapFor: MapFor, isReplay: boolean): Promise<Updates> {
  return withTraceparent(callback.traceparent, async () => {
    let parsed: unknown;
    try {
      parsed = readCallback(callback.body);
    } catch (error) {
      return setAside(callback, error as Error);
    }
    const map = await mapFor(changesOf(parsed), new Set(callback.businesses));
    return splitOrSetAside(parsed, isReplay ? { ...callback, businesses: map.withSameSecret(callback.businesses) } : callback, map);
  });
}

/** Never throws: a callback that cannot be split becomes one dead letter. */
export async function splitOrSetAside(parsed: unknown, callback: SignedBody, map: ConnectionMap): Promise<Updates> {
  try {
    return await splitCallback(parsed, callback, map);
  } catch (error) {
    return setAside(callback, error as Error);
  }
}

function setAside(callback: SignedBody, error: Error): Updates {
  return { events: [], invalid: [wholeDeadLetter(callback, error)], ignored: { unknown_number: 0, group: 0 } };
}
