import { Controller, type OnApplicationShutdown, type Type } from '@nestjs/common';
import { getServiceMetrics, type ServiceName } from '@mgw/contracts';
import { Database } from '@mgw/postgres';
import { Handles, type Handler } from '@mgw/rpc';
import { gauges } from '@mgw/telemetry';

/** SQL for the age of the first row in seconds; 0 without rows. */
const ageOfFirst = (column: string, rows: string): string =>
  `SELECT coalesce((SELECT extract(epoch FROM now() - ${column}) ${rows} LIMIT 1), 0)`;

/** Counts stop here: a larger number changes no decision, and counting a backlog of millions at each scrape costs too much. */
const MAX_COUNT = 10_000;

/**
 * SQL for a count that stops at 10,000.
 * @param rows FROM, WHERE, and the ORDER BY of the index that finds the rows
 */
export const countUpTo = (rows: string): string => `SELECT count(*) FROM (SELECT ${rows} LIMIT ${MAX_COUNT}) counted`;

/**
 * A controller that reports a service's metrics to operators and Prometheus: those of every service with events, and its own.
 * @param own SQL expressions by name, each a number
 */
export function metricsController(service: ServiceName, schema: string, own: Record<string, string> = {}): Type {
  const metrics: Record<string, string> = {
    outbox_waiting: countUpTo(`FROM ${schema}.outbox WHERE published_at IS NULL ORDER BY seq`),
    outbox_oldest_seconds: ageOfFirst('created_at', `FROM ${schema}.outbox WHERE published_at IS NULL ORDER BY seq`),
    dead_letters: countUpTo(`FROM ${schema}.dead_letters ORDER BY id`),
    ...own,
  };
  const sql = `SELECT ${Object.entries(metrics)
    .map(([name, expression]) => `(${expression})::float8 AS ${name}`)
    .join(', ')}`;

  @Controller()
  class ServiceMetrics implements OnApplicationShutdown {
    private readonly removeGauge: () => void;

    constructor(private readonly db: Database) {
      const help = "Values of the service's tables, of all its replicas together";
      this.removeGauge = gauges('mgw_service_metric', help, 'metric', () => this.read(), { service_name: service });
    }

    onApplicationShutdown(): void {
      this.removeGauge();
    }

    @Handles(getServiceMetrics(service))
    get: Handler<ReturnType<typeof getServiceMetrics>> = async () => ({ metrics: await this.read() });

    private async read(): Promise<Record<string, number>> {
      return (await this.db.reads('service').query<Record<string, number>>(sql))[0] ?? {};
    }
  }
  return ServiceMetrics;
}
