import { Inject, Injectable } from '@nestjs/common';
import { BackgroundLoop, LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { DeliveriesStore } from './deliveries.store';
import { DispatchService } from './dispatch.service';

/** Pause after an empty backlog, in milliseconds. The replica that adds to the backlog wakes its own loop. */
const POLL_EVERY_MS = 2_000;
const RETRY_MS = 500;

/** Makes the deliveries of the events in the backlog. The businesses take turns. */
@Injectable()
export class BacklogService extends BackgroundLoop {
  private lastBusiness = '0';

  constructor(
    private readonly deliveries: DeliveriesStore,
    private readonly dispatch: DispatchService,
    @Inject(LOGGER) logger: Logger,
  ) {
    super({ name: 'expanding the backlog', logger, retryMs: RETRY_MS });
  }

  protected async round(): Promise<number> {
    const events = await this.deliveries.nextOfBacklog(this.lastBusiness);
    const [first] = events;
    if (first === undefined) return POLL_EVERY_MS;
    // Before the attempt, so that a business whose events fail delays no other one.
    this.lastBusiness = first.business_id;
    await this.dispatch.expandBacklog(events);
    return 0;
  }
}
