import type { EventEnvelope } from '@mgw/contracts';
import { crashPoint } from '@mgw/faults';
import type { Tx } from '@mgw/postgres';
import { counter, histogram, startSpan, type Span } from '@mgw/telemetry';
import type { EventConsumerOptions } from './consumer';
import type { Offered, OpenMessage } from './open-message';
import { keepTrace, spanAttributes } from './trace';

type Begun = { message: OpenMessage; event: EventEnvelope; span: Span };

const MAX_DELAY_MS = 60_000;
const handled = counter('mgw_events_handled_total', 'Events by what became of them', ['consumer', 'outcome']);
const age = histogram('mgw_event_age_seconds', 'From the telling of an event to its handling', ['consumer']);

/** Handles events in one transaction; one that fails is handled alone, so that it holds up nobody else. */
export class BatchHandler {
  constructor(private readonly options: EventConsumerOptions) {}

  /** Never throws: each event ends done, put off, or among the dead letters. */
  async handle(offered: readonly Offered[]): Promise<void> {
    const begun: Begun[] = [];
    for (const { message, read, traceparent } of offered) {
      if ('event' in read) begun.push({ message, event: read.event, span: this.begin(message.subject, read.event, traceparent) });
      else await this.bury(message, read.body, read.reason);
    }
    if (begun.length === 0) return;
    const failure = await this.attempt(begun);
    if (failure === undefined) return;
    if (begun.length === 1 || !(await this.databaseAnswers())) return this.giveUp(begun, failure);
    for (const one of begun) {
      const alone = await this.attempt([one]);
      if (alone !== undefined) await this.giveUp([one], alone);
    }
  }

  /** Each event's own trace goes on, also when several are handled together. */
  private begin(subject: string, event: EventEnvelope, parent: string | null): Span {
    const attributes = { ...spanAttributes(subject, 'process'), 'messaging.consumer.group.name': this.options.durable };
    const span = startSpan(`process ${subject}`, { kind: 'consumer', parent, attributes });
    keepTrace(event, span.traceparent);
    return span;
  }

  /** @returns what went wrong, or undefined */
  private async attempt(begun: Begun[]): Promise<Error | undefined> {
    const { db, oneStatement } = this.options;
    let told: EventEnvelope[] = [];
    try {
      if (oneStatement) {
        crashPoint('consumer.before-commit');
        told = (await this.options.handle(eventsOf(begun), db)) ?? [];
      } else {
        await db.transaction(async (tx) => {
          const fresh = await this.unseen(tx, begun);
          if (fresh.length > 0) told = (await this.options.handle(fresh, tx)) ?? [];
          crashPoint('consumer.before-commit');
        });
      }
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
    crashPoint('consumer.after-commit');
    const now = Date.now();
    for (const { message, span } of begun) {
      message.done();
      span.end();
      age.observe({ consumer: this.options.durable }, (now - message.toldAt) / 1_000);
    }
    this.options.committed?.(told);
    handled.inc({ consumer: this.options.durable, outcome: 'ok' }, begun.length);
    return undefined;
  }

  /** Remembers the events in the inbox. @returns those that were not there, and the guarded ones, in the order they came */
  private async unseen(tx: Tx, begun: Begun[]): Promise<EventEnvelope[]> {
    const events = eventsOf(begun);
    const { guarded = false } = this.options;
    const isGuarded = typeof guarded === 'function' ? guarded : () => guarded;
    // In one order everywhere: two replicas with the same events wait for each other instead of deadlocking.
    const ids = events
      .filter((event) => !isGuarded(event))
      .map(({ id }) => id)
      .sort();
    if (ids.length === 0) return events;
    const rows = await tx.query<{ event_id: string }>(
      `INSERT INTO ${this.options.schema}.inbox (consumer, event_id) SELECT $1, id FROM unnest($2::text[]) AS id
       ON CONFLICT DO NOTHING RETURNING event_id`,
      [this.options.durable, ids],
    );
    const fresh = new Set(rows.map(({ event_id }) => event_id));
    return events.filter((event) => isGuarded(event) || fresh.delete(event.id));
  }

  private async giveUp(begun: Begun[], failure: Error): Promise<void> {
    const { durable, maxDeliver = 10, logger } = this.options;
    for (const { message, event, span } of begun) {
      span.fail(failure);
      span.end();
      const { deliveries } = message;
      if (deliveries >= maxDeliver && (await this.databaseAnswers())) {
        await this.bury(message, JSON.stringify(event), failure.message);
        continue;
      }
      logger.warn({ err: failure, consumer: durable, event_id: event.id, deliveries }, 'an event could not be handled; it comes again');
      handled.inc({ consumer: durable, outcome: 'retry' });
      message.again(Math.min(MAX_DELAY_MS, 200 * 2 ** Math.min(deliveries, 10)));
    }
  }

  private async bury(message: OpenMessage, body: string, reason: string): Promise<void> {
    const { db, schema, durable, logger } = this.options;
    try {
      await db.query(`INSERT INTO ${schema}.dead_letters (consumer, subject, body, reason, deliveries) VALUES ($1, $2, $3, $4, $5)`, [
        durable,
        message.subject,
        body.replaceAll('\0', ''),
        reason,
        message.deliveries,
      ]);
    } catch (error) {
      logger.warn({ err: error, consumer: durable }, 'the dead letters could not be written; the event comes again');
      message.again(1_000);
      return;
    }
    logger.error({ consumer: durable, subject: message.subject, reason }, 'an event went to the dead letters');
    handled.inc({ consumer: durable, outcome: 'dead' });
    message.done();
  }

  private databaseAnswers(): Promise<boolean> {
    return this.options.db.ping().catch(() => false);
  }
}

function eventsOf(begun: Begun[]): EventEnvelope[] {
  return begun.map(({ event }) => event);
}
