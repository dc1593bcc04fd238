import type { EventEnvelope } from '@mgw/contracts';
import { crashPoint } from '@mgw/faults';
import type { Tx } from '@mgw/postgres';
import { counter, histogram, startSpan, type Span } from '@mgw/telemetry';
import type { JsMsg } from 'nats';
import type { EventConsumerOptions } from './consumer';
import { readEvent } from './read-event';
import { TRACE_HEADER, keepTrace, spanAttributes } from './trace';

type Offered = { message: JsMsg; event: EventEnvelope; span: Span };

const MAX_DELAY_MS = 60_000;
const handled = counter('mgw_events_handled_total', 'Events by what became of them', ['consumer', 'outcome']);
const age = histogram('mgw_event_age_seconds', 'From the telling of an event to its handling', ['consumer']);

/** Handles events in one transaction; one that fails is handled alone, so that it holds up nobody else. */
export class BatchHandler {
  constructor(private readonly options: EventConsumerOptions) {}

  /** Never throws: each message ends acknowledged, put off, or among the dead letters. */
  async handle(messages: JsMsg[]): Promise<void> {
    const offered: Offered[] = [];
    for (const message of messages) {
      const read = readEvent(message.subject, message.data);
      if ('event' in read) offered.push({ message, event: read.event, span: this.begin(message, read.event) });
      else await this.bury(message, read.reason);
    }
    if (offered.length === 0) return;
    const failure = await this.attempt(offered);
    if (failure === undefined) return;
    if (offered.length === 1 || !(await this.databaseAnswers())) return this.giveUp(offered, failure);
    for (const one of offered) {
      const alone = await this.attempt([one]);
      if (alone !== undefined) await this.giveUp([one], alone);
    }
  }

  /** Each event's own trace goes on, also when several are handled together. */
  private begin({ subject, headers }: JsMsg, event: EventEnvelope): Span {
    const attributes = { ...spanAttributes(subject, 'process'), 'messaging.consumer.group.name': this.options.durable };
    const span = startSpan(`process ${subject}`, { kind: 'consumer', parent: headers?.get(TRACE_HEADER) || null, attributes });
    keepTrace(event, span.traceparent);
    return span;
  }

  /** @returns what went wrong, or undefined */
  private async attempt(offered: Offered[]): Promise<Error | undefined> {
    const { db, oneStatement } = this.options;
    let told: EventEnvelope[] = [];
    try {
      if (oneStatement) {
        crashPoint('consumer.before-commit');
        told = (await this.options.handle(eventsOf(offered), db)) ?? [];
      } else {
        await db.transaction(async (tx) => {
          const fresh = await this.unseen(tx, offered);
          if (fresh.length > 0) told = (await this.options.handle(fresh, tx)) ?? [];
          crashPoint('consumer.before-commit');
        });
      }
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
    crashPoint('consumer.after-commit');
    const now = Date.now();
    for (const { message, span } of offered) {
      message.ack();
      span.end();
      age.observe({ consumer: this.options.durable }, (now - message.info.timestampNanos / 1_000_000) / 1_000);
    }
    this.options.committed?.(told);
    handled.inc({ consumer: this.options.durable, outcome: 'ok' }, offered.length);
    return undefined;
  }

  /** Remembers the events in the inbox. @returns those that were not there, and the guarded ones, in the order they came */
  private async unseen(tx: Tx, offered: Offered[]): Promise<EventEnvelope[]> {
    const events = eventsOf(offered);
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

  private async giveUp(offered: Offered[], failure: Error): Promise<void> {
    const { durable, maxDeliver = 10, logger } = this.options;
    for (const { message, event, span } of offered) {
      span.fail(failure);
      span.end();
      const deliveries = message.info.redeliveryCount;
      if (deliveries >= maxDeliver && (await this.databaseAnswers())) {
        await this.bury(message, failure.message);
        continue;
      }
      logger.warn({ err: failure, consumer: durable, event_id: event.id, deliveries }, 'an event could not be handled; it comes again');
      handled.inc({ consumer: durable, outcome: 'retry' });
      message.nak(Math.min(MAX_DELAY_MS, 200 * 2 ** Math.min(deliveries, 10)));
    }
  }

  private async bury(message: JsMsg, reason: string): Promise<void> {
    const { db, schema, durable, logger } = this.options;
    try {
      await db.query(`INSERT INTO ${schema}.dead_letters (consumer, subject, body, reason, deliveries) VALUES ($1, $2, $3, $4, $5)`, [
        durable,
        message.subject,
        Buffer.from(message.data).toString('utf8').replaceAll('\0', ''),
        reason,
        message.info.redeliveryCount,
      ]);
    } catch (error) {
      logger.warn({ err: error, consumer: durable }, 'the dead letters could not be written; the event comes again');
      message.nak(1_000);
      return;
    }
    logger.error({ consumer: durable, subject: message.subject, reason }, 'an event went to the dead letters');
    handled.inc({ consumer: durable, outcome: 'dead' });
    message.term();
  }

  private databaseAnswers(): Promise<boolean> {
    return this.options.db.ping().catch(() => false);
  }
}

function eventsOf(offered: Offered[]): EventEnvelope[] {
  return offered.map(({ event }) => event);
}
