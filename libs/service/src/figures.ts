import { Controller, type Type } from '@nestjs/common';
import { getFigures, type ServiceName } from '@mgw/contracts';
import { Database } from '@mgw/postgres';
import { Handles } from '@mgw/rpc';

/**
 * A controller that answers an operator's question how a service is: what every service with events has, and its own.
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
  class Figures {
    constructor(private readonly db: Database) {}

    @Handles(getFigures(service))
    async get(): Promise<{ figures: Record<string, number> }> {
      const [row] = await this.db.query<Record<string, number>>(sql);
      return { figures: row ?? {} };
    }
  }
  return Figures;
}
