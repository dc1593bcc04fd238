import { Inject, Injectable } from '@nestjs/common';
import { BackgroundLoop, LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { MetricSamplesStore } from './metric-samples.store';
import { ServicesHealth } from './services-health';

const EVERY_MS = 60_000;

/** Samples the metrics of all services once a minute, whatever the number of gateways. */
@Injectable()
export class MetricSampler extends BackgroundLoop {
  constructor(
    private readonly services: ServicesHealth,
    private readonly samples: MetricSamplesStore,
    @Inject(LOGGER) logger: Logger,
  ) {
    super({ name: 'sampling metrics', logger, retryMs: EVERY_MS });
  }

  protected async round(): Promise<number> {
    if (await this.samples.claimMinute()) {
      const healthy = (await this.services.check()).filter((service) => service.healthy);
      await this.samples.store(Object.fromEntries(healthy.map(({ name, metrics }) => [name, metrics])));
    }
    return EVERY_MS - (Date.now() % EVERY_MS) + 500;
  }
}
