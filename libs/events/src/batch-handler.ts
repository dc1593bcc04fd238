import type { EventEnvelope } from '@mgw/contracts';
import { crashPoint } from '@mgw/faults';
import type { Tx } from '@mgw/postgres';
import { counter, histogram, startSpan, type Span } from '@mgw/telemetry';
import type { EventConsumerOptions } from './consumer';
import type { Offered, OpenMessage } from './open-message';
import { keepTrace, spanAttributes } from './trace';

type Begun = { message: OpenMessage; event: EventEnvelope; span: Span };

/** Events that are counted; beyond it the oldest begins again. */
const MOST_FAILING = 10_000;
const MAX_DELAY_MS = 60_000;
/** Between two looks for the database, and until events come again that were put off for want of it. */
const DATABASE_PAUSE_MS = 300;
const AWAY_DELAY_MS = 1_000;
const handled = counter('mgw_events_handled_total', 'Events by what became of them', ['consumer', 'outcome']);
const age = histogram('mgw_event_age_seconds', 'From the telling of an event to its handling', ['consumer']);

/** Handles events in one transaction; one that fails is handled alone, so that it holds up nobody else. */
export class BatchHandler {
  /** How often an event failed by itself, by its id: deliveries count outages and stops too. */
  private readonly failures = new Map<string, number>();

  /** @param goesOn whether events are to be handled still */
  constructor(
    private readonly options: EventConsumerOptions,
    private readonly goesOn: () => boolean,
  ) {}

  /** Never throws: each event ends done, put off, or among the dead letters. */
  async handle(offered: readonly Offered[]): Promise<void> {
    const begun: Begun[] = [];
    for (const { message, read, traceparent } of offered) {
      if ('event' in read) begun.push({ message, event: read.event, span: this.begin(message.subject, read.event, traceparent) });
      else await this.bury(message, read.body, read.reason);
    }
    if (begun.length === 0) return;
    await this.work(begun);
  }

  private async work(begun: Begun[]): Promise<void> {
    const failure = await this.attemptPatiently(begun);
    if (failure === undefined) return;
    if (!this.goesOn() || !(await this.databaseAnswers())) return this.putOff(begun, failure);
    if (begun.length > 1) for (const one of begun) await this.work([one]);
    else await this.giveUp(begun[0] as Begun, failure);
  }

  /** While the database is away nothing is put off, for what comes later would overtake it: where order matters it is tried again. */
  private async attemptPatiently(begun: Begun[]): Promise<Error | undefined> {
    for (;;) {
      const failure = await this.attempt(begun);
      if (failure === undefined || !this.options.ordered || (await this.databaseAnswers())) return failure;
      while (this.goesOn() && !(await this.databaseAnswers())) await new Promise((resume) => setTimeout(resume, DATABASE_PAUSE_MS));
      if (!this.goesOn()) return failure;
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
    for (const { message, event, span } of begun) {
      this.failures.delete(event.id);
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

  /** The events cannot help it. */
  private putOff(begun: Begun[], failure: Error): void {
    const { durable, logger } = this.options;
    logger.warn({ err: failure, consumer: durable, events: begun.length }, 'events could not be handled now; they come again');
    for (const { message, span } of begun) {
      span.fail(failure);
      span.end();
      handled.inc({ consumer: durable, outcome: 'retry' });
      if (this.goesOn()) message.again(AWAY_DELAY_MS);
      else if (!this.options.ordered) message.again(0);
    }
  }

  private async giveUp({ message, event, span }: Begun, failure: Error): Promise<void> {
    const { durable, maxDeliver = 10, logger } = this.options;
    span.fail(failure);
    span.end();
    const failures = this.count(event.id);
    if (failures >= maxDeliver) {
      this.failures.delete(event.id);
      return this.bury(message, JSON.stringify(event), failure.message);
    }
    logger.warn({ err: failure, consumer: durable, event_id: event.id, failures }, 'an event could not be handled; it comes again');
    handled.inc({ consumer: durable, outcome: 'retry' });
    message.again(Math.min(MAX_DELAY_MS, 200 * 2 ** Math.min(failures, 10)));
  }

  private count(id: string): number {
    const failures = (this.failures.get(id) ?? 0) + 1;
    // The last to be forgotten.
    this.failures.delete(id);
    this.failures.set(id, failures);
    const [oldest] = this.failures.keys();
    if (this.failures.size > MOST_FAILING && oldest !== undefined) this.failures.delete(oldest);
    return failures;
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
