import { Controller, Get } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { getFigures, IsoTime, SERVICES, type ServiceName } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { Responds } from '../responses/responds';
import { SessionOf } from '../sessions/roles.guard';

/** How long one page waits for a service that is not well. */
const WAIT_MS = 1_500;

const Health = Type.Object({
  name: Type.String(),
  healthy: Type.Boolean({ description: 'Whether it answers; its replicas share the questions.' }),
  answered_in_ms: Type.Integer(),
  figures: Type.Record(Type.String(), Type.Number(), { description: 'Backlogs, ages in seconds and rates, by name.' }),
});
const OverviewResponse = Type.Object({ checked_at: IsoTime, services: Type.Array(Health) }, { title: 'Overview' });

/** Product §3: how the services are. */
@Controller('api/admin/overview')
@SessionOf('operator')
export class OverviewController {
  constructor(private readonly rpc: RpcClient) {}

  @Get()
  @Responds(OverviewResponse, 'Show the health, backlogs and rates of each service')
  async show() {
    const gateway = { name: 'gateway', healthy: true, answered_in_ms: 0, figures: { uptime_seconds: Math.round(process.uptime()) } };
    const others = await Promise.all(SERVICES.map((service) => this.ask(service)));
    return { checked_at: new Date().toISOString(), services: [gateway, ...others] };
  }

  private async ask(name: ServiceName) {
    const begun = performance.now();
    const answer = await this.rpc.call(getFigures(name), {}, { deadlineAt: Date.now() + WAIT_MS }).catch(() => null);
    return { name, healthy: answer !== null, answered_in_ms: Math.round(performance.now() - begun), figures: answer?.figures ?? {} };
  }
}
