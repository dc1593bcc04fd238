import { Injectable } from '@nestjs/common';
import { getServiceMetrics, SERVICES, type ServiceName } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';

/** How long the overview waits for a service. */
const WAIT_MS = 1_500;

interface ServiceHealth {
  name: string;
  healthy: boolean;
  responded_in_ms: number;
  metrics: Record<string, number>;
}

/** Whether the services respond, and their metrics. */
@Injectable()
export class ServicesHealth {
  constructor(private readonly rpc: RpcClient) {}

  check(): Promise<ServiceHealth[]> {
    return Promise.all(SERVICES.map((service) => this.checkService(service)));
  }

  private async checkService(name: ServiceName): Promise<ServiceHealth> {
    const startedAt = performance.now();
    const response = await this.rpc.call(getServiceMetrics(name), {}, { deadlineAt: Date.now() + WAIT_MS }).catch(() => null);
    return {
      name,
      healthy: response !== null,
      responded_in_ms: Math.round(performance.now() - startedAt),
      metrics: response?.metrics ?? {},
    };
  }
}
