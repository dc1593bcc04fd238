import { Controller, Get } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { IsoTime } from '@mgw/contracts';
import { Responds } from '../responses/responds';
import { NeedsSession } from '../sessions/roles.guard';
import { MetricSamplesStore } from './metric-samples.store';
import { ServicesHealth } from './services-health';

const Health = Type.Object({
  name: Type.String(),
  healthy: Type.Boolean({ description: 'Whether a replica responded in time.' }),
  responded_in_ms: Type.Integer(),
  metrics: Type.Record(Type.String(), Type.Number(), { description: 'Backlogs, ages in seconds and rates, by name.' }),
});
const OverviewResponse = Type.Object({ checked_at: IsoTime, services: Type.Array(Health) }, { title: 'Overview' });
const BacklogsResponse = Type.Object(
  {
    samples: Type.Array(
      Type.Object({
        at: IsoTime,
        services: Type.Record(Type.String(), Type.Record(Type.String(), Type.Number()), {
          description: 'Metrics by service; a service that did not respond is absent.',
        }),
      }),
    ),
  },
  { title: 'Backlogs' },
);

/** The health of the services (spec §11). */
@Controller('api/admin')
@NeedsSession()
export class OverviewController {
  constructor(
    private readonly services: ServicesHealth,
    private readonly samples: MetricSamplesStore,
  ) {}

  @Get('overview')
  @Responds(OverviewResponse, 'Show the health, backlogs and rates of each service')
  async show() {
    const gateway = { name: 'gateway', healthy: true, responded_in_ms: 0, metrics: { uptime_seconds: Math.round(process.uptime()) } };
    return { checked_at: new Date().toISOString(), services: [gateway, ...(await this.services.check())] };
  }

  @Get('backlogs')
  @Responds(BacklogsResponse, 'Show the metrics of each service at every minute of the last hour')
  async backlogs() {
    return { samples: await this.samples.list() };
  }
}
