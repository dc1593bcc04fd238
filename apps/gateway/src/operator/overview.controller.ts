import { Controller, Get } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { getServiceMetrics, IsoTime, SERVICES, type ServiceName } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { Responds } from '../responses/responds';
import { NeedsSession } from '../sessions/roles.guard';

/** How long the overview waits for a service. */
const WAIT_MS = 1_500;

const Health = Type.Object({
  name: Type.String(),
  healthy: Type.Boolean({ description: 'Whether a replica responded in time.' }),
  answered_in_ms: Type.Integer(),
  figures: Type.Record(Type.String(), Type.Number(), { description: 'Backlogs, ages in seconds and rates, by name.' }),
});
const OverviewResponse = Type.Object({ checked_at: IsoTime, services: Type.Array(Health) }, { title: 'Overview' });

/** The health of the services (spec §11). */
@Controller('api/admin/overview')
@NeedsSession()
export class OverviewController {
  constructor(private readonly rpc: RpcClient) {}

  @Get()
  @Responds(OverviewResponse, 'Show the health, backlogs and rates of each service')
  async show() {
    const gateway = { name: 'gateway', healthy: true, answered_in_ms: 0, figures: { uptime_seconds: Math.round(process.uptime()) } };
    const others = await Promise.all(SERVICES.map((service) => this.checkService(service)));
    return { checked_at: new Date().toISOString(), services: [gateway, ...others] };
  }

  private async checkService(name: ServiceName) {
    const startedAt = performance.now();
    const response = await this.rpc.call(getServiceMetrics(name), {}, { deadlineAt: Date.now() + WAIT_MS }).catch(() => null);
    return {
      name,
      healthy: response !== null,
      answered_in_ms: Math.round(performance.now() - startedAt),
      figures: response?.metrics ?? {},
    };
  }
}
