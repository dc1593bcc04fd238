import type { EventEnvelope } from '@mgw/contracts';
import { crashPoint } from '@mgw/faults';
import { asStorageProblem, type Tx } from '@mgw/postgres';
import { counter, histogram, startSpan, type Span } from '@mgw/telemetry';
import type { EventConsumerOptions } from './consumer';
import { DeadLetters, type AskedLetter } from './dead-letters';
import type { Offered, OpenMessage } from './open-message';
import { readEvents } from './read-event';
import { keepTrace, spanAttributes } from './trace';

type Handling = { event: EventEnvelope; span: Span };
type Begun = Handling & { message: OpenMessage };

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
  private readonly letters: DeadLetters;

  /** @param goesOn whether events are to be handled still */
  constructor(
    private readonly options: EventConsumerOptions,
    private readonly goesOn: () => boolean,
  ) {
    this.letters = new DeadLetters(options.db, options.schema);
  }

  /** Never throws: each event ends done, put off, or among the dead letters. */
  async handle(offered: readonly Offered[]): Promise<void> {
    const begun: Begun[] = [];
    for (const { message, read, traceparent } of offered) {
      if ('event' in read) begun.push({ message, ...this.begin(message.subject, read.event, traceparent) });
      else await this.bury(message, read.body, read.reason);
    }
    if (begun.length === 0) return;
    await this.work(begun);
  }

  /**
   * Handles the first dead letter that somebody has asked for, as any event but once only: the same inbox or key keeps it from a second
   * effect. If it fails again it stays, with the new reason; while the database is away it waits. @returns whether there was one
   */
  async replay(): Promise<boolean> {
    const { durable, logger } = this.options;
    try {
      const letter = await this.letters.asked(durable);
      if (!letter) return false;
      const failure = await this.handleAgain(letter);
      if (failure === undefined) await this.letters.remove([letter.id]);
      else await this.keep(letter, failure);
      return true;
    } catch (error) {
      logger.warn({ err: error, consumer: durable }, 'dead letters could not be replayed now; it is tried again');
      return false;
    }
  }

  /** @returns what went wrong, or undefined */
  private async handleAgain({ subject, body }: AskedLetter): Promise<Error | undefined> {
    const reads = readEvents(subject, Buffer.from(body));
    const flaw = reads.find((read) => 'reason' in read);
    if (flaw) return new Error(flaw.reason);
    const handlings = reads.flatMap((read) => ('event' in read ? [this.begin(subject, read.event, null)] : []));
    const failure = await this.haveEffect(handlings);
    if (failure === undefined) return undefined;
    for (const { span } of handlings) {
      span.fail(failure);
      span.end();
    }
    return failure;
  }

  private async keep({ id, subject }: AskedLetter, { message: reason }: Error): Promise<void> {
    const { durable, logger } = this.options;
    await this.letters.keep(id, reason);
    logger.error({ consumer: durable, subject, letter: id, reason }, 'a dead letter could not be handled; it stays');
    handled.inc({ consumer: durable, outcome: 'dead' });
  }

  private async work(begun: Begun[]): Promise<void> {
    const failure = await this.attemptPatiently(begun);
    if (failure === undefined) return;
    if (!this.goesOn() || !(await this.databaseTakes(failure))) return this.putOff(begun, failure);
    if (begun.length > 1) for (const one of begun) await this.work([one]);
    else await this.giveUp(begun[0] as Begun, failure);
  }

  /** While the database is away or full, an ordered consumer retries: later events would overtake those that it put off. */
  private async attemptPatiently(begun: Begun[]): Promise<Error | undefined> {
    for (;;) {
      const failure = await this.attempt(begun);
      if (failure === undefined || !this.options.ordered || (await this.databaseTakes(failure))) return failure;
      do await new Promise((resume) => setTimeout(resume, DATABASE_PAUSE_MS));
      while (this.goesOn() && !(await this.databaseAnswers()));
      if (!this.goesOn()) return failure;
    }
  }

  /** Each event's own trace goes on, also when several are handled together. */
  private begin(subject: string, event: EventEnvelope, parent: string | null): Handling {
    const attributes = { ...spanAttributes(subject, 'process'), 'messaging.consumer.group.name': this.options.durable };
    const span = startSpan(`process ${subject}`, { kind: 'consumer', parent, attributes });
    keepTrace(event, span.traceparent);
    return { event, span };
  }

  /** @returns what went wrong, or undefined */
  private async attempt(begun: Begun[]): Promise<Error | undefined> {
    const failure = await this.haveEffect(begun);
    if (failure !== undefined) return failure;
    const now = Date.now();
    for (const { message, event } of begun) {
      this.failures.delete(event.id);
      message.done();
      age.observe({ consumer: this.options.durable }, (now - message.toldAt) / 1_000);
    }
    return undefined;
  }

  /** @returns what went wrong, or undefined when it is committed */
  private async haveEffect(handlings: Handling[]): Promise<Error | undefined> {
    const { db, durable, oneStatement } = this.options;
    const events = handlings.map(({ event }) => event);
    let told: EventEnvelope[] = [];
    try {
      if (oneStatement) {
        crashPoint('consumer.before-commit');
        told = (await this.options.handle(events, db)) ?? [];
      } else {
        await db.transaction(async (tx) => {
          const fresh = await this.unseen(tx, events);
          if (fresh.length > 0) told = (await this.options.handle(fresh, tx)) ?? [];
          crashPoint('consumer.before-commit');
        });
      }
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
    crashPoint('consumer.after-commit');
    for (const { span } of handlings) span.end();
    this.options.committed?.(told);
    handled.inc({ consumer: durable, outcome: 'ok' }, events.length);
    return undefined;
  }

  /** Remembers the events in the inbox. @returns those that were not there, and the guarded ones, in the order they came */
  private async unseen(tx: Tx, events: EventEnvelope[]): Promise<EventEnvelope[]> {
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

  /** Transient failure: redeliver without counting an attempt. */
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
    const { durable, logger } = this.options;
    try {
      await this.letters.add({ consumer: durable, subject: message.subject, body, reason, tries: message.deliveries });
    } catch (error) {
      logger.warn({ err: error, consumer: durable }, 'the dead letters could not be written; the event comes again');
      message.again(1_000);
      return;
    }
    logger.error({ consumer: durable, subject: message.subject, reason }, 'an event went to the dead letters');
    handled.inc({ consumer: durable, outcome: 'dead' });
    message.done();
  }

  /** Whether the failure is not for want of the database: it answers, and had room for what the events wrote. */
  private async databaseTakes(failure: Error): Promise<boolean> {
    return asStorageProblem(failure) === null && (await this.databaseAnswers());
  }

  private databaseAnswers(): Promise<boolean> {
    return this.options.db.ping().catch(() => false);
  }
}
