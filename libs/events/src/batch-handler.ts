import { setTimeout as pause } from 'node:timers/promises';
import type { EventEnvelope } from '@mgw/contracts';
import { DeadlineExceeded, within } from '@mgw/deadlines';
import { crashPoint } from '@mgw/faults';
import { asStorageProblem, hadNoTurn, type Tx } from '@mgw/postgres';
import { counter, histogram, startSpan, type Span } from '@mgw/telemetry';
import { BegunMarks } from './begun-marks';
import type { EventConsumerOptions } from './consumer-options';
import { DeadLetters, type DeadLetterToReplay } from './dead-letters';
import { FailureCounts, PermanentFailure } from './failures';
import { RetryLanes } from './retry-lanes';
import type { ReceivedEvent } from './pending-message';
import { readEvents } from './read-event';
import { setTraceparent, spanAttributes } from './trace';

type Traced = { event: EventEnvelope; span: Span };
type TracedEvent = Traced & { received: ReceivedEvent };

const MAX_DELAY_MS = 60_000;
/** Pause between two pings of an unavailable database, and delay of events that it could not store. In milliseconds. */
const DATABASE_PAUSE_MS = 300;
const UNAVAILABLE_DELAY_MS = 1_000;
/** Deadline of a handler, longer than that of its statements, in milliseconds. */
const HANDLE_WITHIN_MS = 15_000;
/**
 * An event with this many marked beginnings and no end is set aside. Its first delivery had no mark, so it has ended three processes, and
 * the last one handled nothing else.
 */
const MAX_BEGUN = 2;
/** How often the handling of one event may exceed its deadline. */
const MAX_STALLS = 3;
/** Keys with an event in the dead letters. Their later events get one attempt each until one succeeds. */
const MAX_FAILED_KEYS = 1_000;
const handled = counter('mgw_events_handled_total', 'Events by outcome of their handling', ['consumer', 'outcome']);
const age = histogram('mgw_event_age_seconds', 'Time from the publication of an event to its handling', ['consumer']);

/**
 * Handles a batch of events in one transaction. If that fails, it divides the batch until the failing event is alone, so that event delays
 * no others. The event is redelivered later; in an ordered consumer, later events of its key wait for it.
 *
 * An event ends in one of three ways: acknowledged after its commit, redelivered, or in the dead letters.
 */
export class BatchHandler {
  private readonly failures = new FailureCounts();
  private readonly deadLetters: DeadLetters;
  private readonly marks: BegunMarks;
  private readonly lanes = new RetryLanes();
  private readonly failedKeys = new Set<string>();

  /**
   * @param mayContinue whether this process may still handle events
   * @param requeue receives events that waited behind a failed one, and puts them before all others
   */
  constructor(
    private readonly options: EventConsumerOptions,
    private readonly mayContinue: () => boolean,
    private readonly requeue: (received: ReceivedEvent[]) => void,
  ) {
    this.deadLetters = new DeadLetters(options.db, options.schema);
    this.marks = new BegunMarks(options.db, options.schema, options.durable);
  }

  /** @returns whether it waits behind a failed event of its key. `requeue` receives it when that event has ended. */
  queueBehindFailed(received: ReceivedEvent): boolean {
    return this.lanes.queueBehindFailed(received);
  }

  /** Takes a failed event whose retry is due. */
  takeDue(): ReceivedEvent | undefined {
    return this.lanes.takeDue();
  }

  get dueInMs(): number {
    return this.lanes.dueInMs;
  }

  /** Drops waiting events, because another replica consumes them now. */
  dropWaiting(): void {
    this.lanes.clear();
  }

  /** Never throws. */
  async handle(received: readonly ReceivedEvent[]): Promise<void> {
    const readable: ReceivedEvent[] = [];
    for (const one of received) {
      if ('event' in one.read) readable.push(one);
      else await this.addDeadLetter(one, one.read.body, one.read.reason);
    }
    if (readable.length === 0) return;
    if (readable.some(({ message }) => message.deliveries > 1)) await this.handleRedelivered(readable);
    else await this.process(readable.map((one) => this.begin(one)));
  }

  /**
   * Handles a batch with redelivered events. One of them may have killed a process, so this marks each beginning first and handles an event
   * that already has a mark alone.
   */
  private async handleRedelivered(received: readonly ReceivedEvent[]): Promise<void> {
    const begun = await this.untilDatabaseResponds(() => this.marks.countBegun(received.map(eventIdOf)));
    if (begun === undefined) return this.redeliverAllLater(received);
    for (const group of groupsOf(received, (one) => begun.has(eventIdOf(one)))) {
      const [first] = group;
      if (first && (begun.get(eventIdOf(first)) ?? 0) >= MAX_BEGUN) await this.setAside(first);
      else await BegunMarks.runAlone(() => this.processMarked(group));
    }
  }

  private async processMarked(group: readonly ReceivedEvent[]): Promise<void> {
    const free = group.filter((one) => !this.queueBehindFailed(one));
    const ids = free.map(eventIdOf);
    if (ids.length === 0) return;
    const isMarked = await this.untilDatabaseResponds(async () => {
      await this.marks.add(ids);
      return true;
    });
    if (!isMarked) return this.redeliverAllLater(free);
    await this.process(free.map((one) => this.begin(one)));
    await this.unmark(ids);
  }

  private async unmark(ids: readonly string[]): Promise<void> {
    try {
      await this.marks.remove(ids);
    } catch (error) {
      this.options.logger.warn({ err: error, consumer: this.options.durable }, 'deleting the marks of handled events failed');
    }
  }

  /** Moves an event whose handling killed its process three times to the dead letters. */
  private async setAside(received: ReceivedEvent): Promise<void> {
    if (this.queueBehindFailed(received) || !('event' in received.read)) return;
    const reason = `handling it ended the process ${MAX_BEGUN + 1} times`;
    if (await this.addDeadLetter(received, JSON.stringify(received.read.event), reason)) await this.unmark([eventIdOf(received)]);
  }

  /** Retries in an ordered consumer, because later events must not overtake. @returns undefined if the events must be redelivered */
  private async untilDatabaseResponds<T>(work: () => Promise<T>): Promise<T | undefined> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        this.options.logger.warn({ err: error, consumer: this.options.durable }, 'marking begun events failed; will retry');
        if (!this.options.ordered || !this.mayContinue()) return undefined;
        await pause(DATABASE_PAUSE_MS);
      }
    }
  }

  private redeliverAllLater(received: readonly ReceivedEvent[]): void {
    for (const { message } of received) if (!this.options.ordered) message.redeliverAfter(this.mayContinue() ? UNAVAILABLE_DELAY_MS : 0);
  }

  /**
   * Replays the oldest marked dead letter, with a single attempt; the inbox or key prevents a second effect. If it fails it stays with the
   * new reason. While the database is unavailable it waits.
   * @returns whether there was one
   */
  async replay(): Promise<boolean> {
    const { durable, logger } = this.options;
    try {
      const deadLetter = await this.deadLetters.nextToReplay(durable);
      if (!deadLetter) return false;
      await BegunMarks.runAlone(() => this.replayMarked(deadLetter));
      return true;
    } catch (error) {
      logger.warn({ err: error, consumer: durable }, 'replaying a dead letter failed; will retry');
      return false;
    }
  }

  /** Marks the replay, so that a dead letter which kills the process is not replayed at every start. */
  private async replayMarked(deadLetter: DeadLetterToReplay): Promise<void> {
    const mark = `letter ${deadLetter.id}`;
    const begun = (await this.marks.countBegun([mark])).get(mark) ?? 0;
    await this.marks.add([mark]);
    const failure = begun > MAX_BEGUN ? new Error('replaying it ended the process three times') : await this.replayDeadLetter(deadLetter);
    if (failure === undefined) await this.deadLetters.remove([deadLetter.id]);
    else await this.keepDeadLetter(deadLetter, failure);
    await this.unmark([mark]);
  }

  /** @returns the failure, undefined on success */
  private async replayDeadLetter({ subject, body }: DeadLetterToReplay): Promise<Error | undefined> {
    const reads = readEvents(subject, Buffer.from(body));
    const unreadable = reads.find((read) => 'reason' in read);
    if (unreadable) return new Error(unreadable.reason);
    const handlings = reads.flatMap((read) => ('event' in read ? [this.trace(subject, read.event, null)] : []));
    const failure = await this.runHandler(handlings);
    if (failure === undefined) return undefined;
    for (const { span } of handlings) {
      span.fail(failure);
      span.end();
    }
    return failure;
  }

  private async keepDeadLetter({ id, subject }: DeadLetterToReplay, { message: reason }: Error): Promise<void> {
    const { durable, logger } = this.options;
    await this.deadLetters.recordFailedReplay(id, reason);
    logger.error({ consumer: durable, subject, dead_letter: id, reason }, 'the replay of a dead letter failed; it stays');
    handled.inc({ consumer: durable, outcome: 'dead' });
  }

  private async process(begun: TracedEvent[]): Promise<void> {
    const failure = await this.attemptUntilDatabaseResponds(begun);
    if (failure === undefined) return;
    if (!this.mayContinue() || (!this.options.ordered && !(await this.isHandlerFault(failure)))) return this.redeliverLater(begun, failure);
    if (begun.length === 1) return this.handleFailure(begun[0] as TracedEvent, failure);
    // A stalled event would stall each half again.
    const size = failure instanceof DeadlineExceeded ? 1 : Math.ceil(begun.length / 2);
    for (let at = 0; at < begun.length; at += size) await this.processUnblocked(begun.slice(at, at + size));
  }

  /** Processes the events whose key has not failed meanwhile. */
  private async processUnblocked(begun: TracedEvent[]): Promise<void> {
    // The earlier ones were left to the replica that holds the lease now.
    if (this.options.ordered && !this.mayContinue()) return this.redeliverLater(begun, new Error('the lease was lost'));
    const free = begun.filter(({ received, span }) => {
      if (!this.queueBehindFailed(received)) return true;
      span.end();
      return false;
    });
    if (free.length > 0) await this.process(free);
  }

  /** While the database is unavailable or full, an ordered consumer retries here: later events would overtake redelivered ones. */
  private async attemptUntilDatabaseResponds(begun: TracedEvent[]): Promise<Error | undefined> {
    for (;;) {
      const failure = await this.attempt(begun);
      if (failure === undefined || !this.options.ordered || (await this.isHandlerFault(failure))) return failure;
      do await pause(DATABASE_PAUSE_MS);
      while (this.mayContinue() && !(await this.isDatabaseUp()));
      if (!this.mayContinue()) return failure;
    }
  }

  private begin(received: ReceivedEvent): TracedEvent {
    const { read, message, traceparent } = received;
    return { received, ...this.trace(message.subject, (read as { event: EventEnvelope }).event, traceparent) };
  }

  /** Continues the trace of each event, even when several are handled together. */
  private trace(subject: string, event: EventEnvelope, parent: string | null): Traced {
    const attributes = { ...spanAttributes(subject, 'process'), 'messaging.consumer.group.name': this.options.durable };
    const span = startSpan(`process ${subject}`, { kind: 'consumer', parent, attributes });
    setTraceparent(event, span.traceparent);
    return { event, span };
  }

  /** @returns the failure, undefined on success */
  private async attempt(begun: TracedEvent[]): Promise<Error | undefined> {
    const failure = await this.runHandler(begun);
    if (failure !== undefined) return failure;
    const now = Date.now();
    for (const { received, event } of begun) {
      this.failures.remove(event.id);
      this.failedKeys.delete(event.key);
      age.observe({ consumer: this.options.durable }, (now - received.message.publishedAt) / 1_000);
      this.acknowledge(received);
    }
    return undefined;
  }

  private acknowledge(received: ReceivedEvent): void {
    received.message.eventHandled();
    if (this.options.ordered) this.requeue(this.lanes.release(received));
  }

  /** @returns the failure, undefined after the commit */
  private async runHandler(handlings: Traced[]): Promise<Error | undefined> {
    const { db, durable, singleStatement, handleWithinMs = HANDLE_WITHIN_MS } = this.options;
    const events = handlings.map(({ event }) => event);
    let returned: EventEnvelope[] = [];
    try {
      if (singleStatement) {
        crashPoint('consumer.before-commit');
        returned = (await within(handleWithinMs, () => this.options.handle(events, db))) ?? [];
      } else {
        const work = async (tx: Tx) => {
          const fresh = await this.filterUnhandled(tx, events);
          if (fresh.length > 0) returned = (await this.options.handle(fresh, tx)) ?? [];
          crashPoint('consumer.before-commit');
        };
        await db.transaction(work, { withinMs: handleWithinMs });
      }
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
    crashPoint('consumer.after-commit');
    for (const { span } of handlings) span.end();
    this.options.afterCommit?.(returned);
    handled.inc({ consumer: durable, outcome: 'ok' }, events.length);
    return undefined;
  }

  /** Writes the events to the inbox. @returns new and idempotent ones, in their order */
  private async filterUnhandled(tx: Tx, events: EventEnvelope[]): Promise<EventEnvelope[]> {
    const isIdempotent = (event: EventEnvelope) => this.options.isIdempotent?.(event) ?? this.options.idempotent ?? false;
    // Sorted, so that two replicas with the same events wait for each other instead of deadlocking.
    const ids = events
      .filter((event) => !isIdempotent(event))
      .map(({ id }) => id)
      .sort();
    if (ids.length === 0) return events;
    const rows = await tx.query<{ event_id: string }>(
      `INSERT INTO ${this.options.schema}.inbox (consumer, event_id) SELECT $1, id FROM unnest($2::text[]) AS id
       ON CONFLICT DO NOTHING RETURNING event_id`,
      [this.options.durable, ids],
    );
    const fresh = new Set(rows.map(({ event_id }) => event_id));
    return events.filter((event) => isIdempotent(event) || fresh.delete(event.id));
  }

  /** Transient failure: redeliver without counting an attempt. An ordered consumer that stops leaves them to the next replica. */
  private redeliverLater(begun: TracedEvent[], failure: Error): void {
    const { durable, logger, ordered } = this.options;
    logger.warn({ err: failure, consumer: durable, events: begun.length }, 'handling events failed; they are redelivered');
    for (const { received, span } of begun) {
      span.fail(failure);
      span.end();
      handled.inc({ consumer: durable, outcome: 'retry' });
      if (!ordered) received.message.redeliverAfter(this.mayContinue() ? UNAVAILABLE_DELAY_MS : 0);
    }
  }

  private async handleFailure({ received, event, span }: TracedEvent, failure: Error): Promise<void> {
    const { durable, maxDeliver = 10, logger, ordered } = this.options;
    span.fail(failure);
    span.end();
    const failures = this.failures.add(event.id, costOf(failure, maxDeliver));
    const isLast = failures >= maxDeliver || this.failedKeys.has(event.key);
    if (failure instanceof PermanentFailure || (isLast && !hadNoTurn(failure))) {
      if (ordered) this.rememberFailedKey(event.key);
      this.failures.remove(event.id);
      await this.addDeadLetter(received, JSON.stringify(event), failure.message);
      return;
    }
    logger.warn({ err: failure, consumer: durable, event_id: event.id, failures }, 'handling an event failed; it is redelivered');
    handled.inc({ consumer: durable, outcome: 'retry' });
    if (ordered) this.lanes.fail(received);
    // Failures without a turn do not count, but their pauses grow too.
    else received.message.redeliverAfter(pauseAfter(hadNoTurn(failure) ? received.message.deliveries : failures));
  }

  private rememberFailedKey(key: string): void {
    this.failedKeys.add(key);
    const [oldest] = this.failedKeys;
    if (this.failedKeys.size > MAX_FAILED_KEYS && oldest !== undefined) this.failedKeys.delete(oldest);
  }

  /** @returns whether it was stored; if not, the event is redelivered */
  private async addDeadLetter(received: ReceivedEvent, body: string, reason: string): Promise<boolean> {
    const { durable, logger, ordered } = this.options;
    const { subject, deliveries } = received.message;
    try {
      await this.deadLetters.add({ consumer: durable, subject, body, reason, attempts: deliveries });
    } catch (error) {
      logger.warn({ err: error, consumer: durable }, 'storing a dead letter failed; the event is redelivered');
      if (ordered) this.lanes.fail(received);
      else received.message.redeliverAfter(UNAVAILABLE_DELAY_MS);
      return false;
    }
    logger.error({ consumer: durable, subject, reason }, 'an event was moved to the dead letters');
    handled.inc({ consumer: durable, outcome: 'dead' });
    this.acknowledge(received);
    return true;
  }

  /** Whether the events caused the failure: the database responds and had room. */
  private async isHandlerFault(failure: Error): Promise<boolean> {
    return asStorageProblem(failure) === null && (await this.isDatabaseUp());
  }

  private isDatabaseUp(): Promise<boolean> {
    return this.options.db.ping().catch(() => false);
  }
}

const pauseAfter = (failures: number): number => Math.min(MAX_DELAY_MS, 200 * 2 ** Math.min(failures, 10));

/** The failed attempts that one failure counts as. */
function costOf(failure: Error, maxDeliver: number): number {
  if (hadNoTurn(failure)) return 0;
  return failure instanceof DeadlineExceeded ? Math.ceil(maxDeliver / MAX_STALLS) : 1;
}

function eventIdOf({ read }: ReceivedEvent): string {
  return 'event' in read ? read.event.id : '';
}

/** Divides a list into groups, in order. An element that must be alone is a group of its own. */
function groupsOf<T>(list: readonly T[], isAlone: (one: T) => boolean): T[][] {
  const groups: T[][] = [];
  let open: T[] | undefined;
  for (const one of list) {
    if (isAlone(one)) {
      groups.push([one]);
      open = undefined;
    } else if (open) open.push(one);
    else groups.push((open = [one]));
  }
  return groups;
}
