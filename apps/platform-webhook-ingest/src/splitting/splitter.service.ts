import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { OutboxRelay, Signal } from '@mgw/events';
import { LOGGER } from '@mgw/service';
import { withTraceparent, type Logger } from '@mgw/telemetry';
import type { ConnectionMap } from '../connections/connection-map';
import { ConnectionsService } from '../connections/connections.service';
import { asOneLetter } from '../receiving/dead-letters.store';
import { DeliveriesStore, type Delivery, type Updates } from '../receiving/deliveries.store';
import { readCallback } from './read-callback';
import { splitDelivery } from './split-delivery';
import { Wire } from './wire';

/** Finds deliveries of a replica that died, in milliseconds. */
const LOOK_EVERY_MS = 1_000;
/** How soon lanes without room are looked at again, in milliseconds. */
const ROOM_EVERY_MS = 50;
/** Events of one lane before the next lane has its turn. */
const MOST_IN_A_TURN = 250;

/** Turns the stored callbacks that were not split when they came into events, lane by lane in turn. */
@Injectable()
export class SplitterService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly signal = new Signal();
  private replayAt = 0;
  private stopped = false;
  private ended: Promise<void> = Promise.resolve();

  constructor(
    private readonly deliveries: DeliveriesStore,
    private readonly connections: ConnectionsService,
    private readonly wire: Wire,
    private readonly relay: OutboxRelay,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.relay.start();
    this.ended = this.run();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.signal.give();
    await this.ended;
    await this.relay.stop();
  }

  nudge(): void {
    this.signal.give();
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        const lanes = await this.deliveries.waitingLanes();
        this.wire.share(lanes.length);
        let progress = await this.replay();
        for (const lane of lanes) if (!this.stopped) progress += await this.turnOf(lane);
        if (progress === 0) await this.signal.wait(lanes.length > 0 ? ROOM_EVERY_MS : LOOK_EVERY_MS);
      } catch (error) {
        this.logger.warn({ err: error }, 'waiting callbacks could not be read; will retry');
        await this.signal.wait(500);
      }
    }
  }

  /** @returns 1 when there was a dead letter to replay */
  private async replay(): Promise<number> {
    if (performance.now() < this.replayAt) return 0;
    const count = await this.attempt('replays', async (split) => Number(await this.deliveries.replay(split)));
    if (count === 0) this.replayAt = performance.now() + LOOK_EVERY_MS / 2;
    return count;
  }

  /** @returns how many deliveries were split */
  private async turnOf(lane: number): Promise<number> {
    const room = Math.min(MOST_IN_A_TURN, this.wire.room(lane));
    if (room === 0) return 0;
    return this.attempt(lane, async (split) => {
      const { deliveries, events } = await this.deliveries.splitLane(lane, room, split);
      this.wire.note(lane, events);
      return deliveries;
    });
  }

  /** A lane that fails does not hold up the others. */
  private async attempt(
    lane: number | string,
    work: (split: (delivery: Delivery) => Promise<Updates>) => Promise<number>,
  ): Promise<number> {
    try {
      const map = await this.connections.current();
      const count = await work((delivery) => splitStored(delivery, map));
      if (count > 0) this.relay.nudge();
      return count;
    } catch (error) {
      this.logger.warn({ err: error, lane }, 'callbacks could not be split; they stay stored and will be retried');
      return 0;
    }
  }
}

function splitStored(delivery: Delivery, map: ConnectionMap): Promise<Updates> {
  return withTraceparent(delivery.traceparent, async () => {
    try {
      return await splitOrSetAside(readCallback(delivery.body), delivery, map);
    } catch (error) {
      return setAside(delivery, error as Error);
    }
  });
}

/** Never throws: a callback that cannot be split at all goes to the dead letters as a whole. */
export async function splitOrSetAside(
  webhook: unknown,
  delivery: Pick<Delivery, 'body' | 'businesses'>,
  map: ConnectionMap,
): Promise<Updates> {
  try {
    return await splitDelivery(webhook, delivery, map);
  } catch (error) {
    return setAside(delivery, error as Error);
  }
}

function setAside(delivery: Pick<Delivery, 'body' | 'businesses'>, error: Error): Updates {
  return { events: [], bad: [asOneLetter(delivery, error)], ignored: { unknown_number: 0, group: 0 } };
}
