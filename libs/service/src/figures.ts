import { Controller, type OnApplicationShutdown, type Type } from '@nestjs/common';
import { getFigures, type ServiceName } from '@mgw/contracts';
import { Database } from '@mgw/postgres';
import { Handles } from '@mgw/rpc';
import { gauges } from '@mgw/telemetry';

/** SQL of the age of the first of these rows in seconds; 0 without one. */
export const ageOfFirst = (column: string, rows: string): string =>
  `SELECT coalesce((SELECT extract(epoch FROM now() - ${column}) ${rows} LIMIT 1), 0)`;

/** Counts end here: nobody acts otherwise on more, and a backlog of millions must not be counted again and again. */
const MOST = 10_000;

/**
 * SQL of a count that ends at 10,000.
 * @param rows FROM and WHERE of the rows, with an ORDER BY of the index that leads to them
 */
export const countUpTo = (rows: string): string => `SELECT count(*) FROM (SELECT ${rows} LIMIT ${MOST}) counted`;

/**
 * A controller that answers an operator's question how a service is, and Prometheus': what every service with events has, and its own.
 * @param own SQL expressions, each one number, by name
 */
export function figuresController(service: ServiceName, schema: string, own: Record<string, string> = {}): Type {
  const figures: Record<string, string> = {
    outbox_waiting: countUpTo(`FROM ${schema}.outbox WHERE published_at IS NULL ORDER BY seq`),
    outbox_oldest_seconds: ageOfFirst('created_at', `FROM ${schema}.outbox WHERE published_at IS NULL ORDER BY seq`),
    dead_letters: countUpTo(`FROM ${schema}.dead_letters ORDER BY id`),
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
      return (await this.db.reads('service').query<Record<string, number>>(sql))[0] ?? {};
    }
  }
  return Figures;
}
