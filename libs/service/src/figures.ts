import { Controller, type OnApplicationShutdown, type Type } from '@nestjs/common';
import { getFigures, type ServiceName } from '@mgw/contracts';
import { Database } from '@mgw/postgres';
import { Handles } from '@mgw/rpc';
import { gauges } from '@mgw/telemetry';

/**
 * A controller that answers an operator's question how a service is, and Prometheus': what every service with events has, and its own.
 * @param own SQL expressions, each one number, by name
 */
export function figuresController(service: ServiceName, schema: string, own: Record<string, string> = {}): Type {
  const figures: Record<string, string> = {
    outbox_waiting: `(SELECT count(*) FROM ${schema}.outbox WHERE published_at IS NULL)`,
    outbox_oldest_seconds: `(SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0) FROM ${schema}.outbox WHERE published_at IS NULL)`,
    dead_letters: `(SELECT count(*) FROM ${schema}.dead_letters)`,
    ...own,
  };
  const sql = `SELECT ${Object.entries(figures)
    .map(([name, expression]) => `(${expression})::float8 AS ${name}`)
    .join(', ')}`;

  @Controller()
  class Figures implements OnApplicationShutdown {
    private readonly forget: () => void;

    constructor(private readonly db: Database) {
      const help = "What the service's tables say: of all its replicas together";
      this.forget = gauges('mgw_service_figure', help, 'figure', () => this.figures());
    }

    onApplicationShutdown(): void {
      this.forget();
    }

    @Handles(getFigures(service))
    async get(): Promise<{ figures: Record<string, number> }> {
      return { figures: await this.figures() };
    }

    private async figures(): Promise<Record<string, number>> {
      return (await this.db.query<Record<string, number>>(sql))[0] ?? {};
    }
  }
  return Figures;
}
