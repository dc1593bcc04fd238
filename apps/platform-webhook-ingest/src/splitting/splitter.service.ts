import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { OutboxRelay, Signal } from '@mgw/events';
import { LOGGER } from '@mgw/service';
import { counter, withTraceparent, type Logger } from '@mgw/telemetry';
import type { ConnectionMap } from '../connections/connection-map';
import { ConnectionsService } from '../connections/connections.service';
import { asOneLetter } from '../receiving/dead-letters.store';
import { DeliveriesStore, type Delivery, type Updates } from '../receiving/deliveries.store';
import { readCallback } from './read-callback';
import { splitDelivery } from './split-delivery';

/** They may be 3 MB each, of some thousands of updates. */
const AT_ONCE = 4;
/** The net for what a replica that died has left, in milliseconds. */
const LOOK_EVERY_MS = 1_000;
const counted = counter('mgw_platform_updates_total', 'Updates of the platform, by what became of them', ['outcome']);

/** Turns the stored callbacks that were not split when they came into events. Whatever this replica leaves, another takes up. */
@Injectable()
export class SplitterService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly signal = new Signal();
  private stopped = false;
  private ended: Promise<void> = Promise.resolve();

  constructor(
    private readonly deliveries: DeliveriesStore,
    private readonly connections: ConnectionsService,
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
        if ((await this.splitSome()) < AT_ONCE) await this.signal.wait(LOOK_EVERY_MS);
      } catch (error) {
        this.logger.warn({ err: error }, 'callbacks could not be split now; they stay stored');
        await this.signal.wait(500);
      }
    }
  }

  private async splitSome(): Promise<number> {
    const map = await this.connections.current();
    const splitOne = (delivery: Delivery) => {
      const updates = split(delivery, map);
      countUpdates(updates);
      return updates;
    };
    const count = await this.deliveries.split(AT_ONCE, splitOne);
    const replayed = await this.deliveries.replay(AT_ONCE, splitOne);
    if (count + replayed > 0) this.relay.nudge();
    return Math.max(count, replayed);
  }
}

/** Never throws: what cannot be split at all must not stand before the others for ever. */
function split(delivery: Delivery, map: ConnectionMap): Updates {
  try {
    return withTraceparent(delivery.traceparent, () => splitDelivery(readCallback(delivery.body), delivery, map));
  } catch (error) {
    return { events: [], bad: [asOneLetter(delivery, error as Error)] };
  }
}

export function countUpdates({ events, bad }: Updates): void {
  counted.inc({ outcome: 'event' }, events.length);
  counted.inc({ outcome: 'dead' }, bad.length);
}
