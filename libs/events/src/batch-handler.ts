import type { EventEnvelope } from '@mgw/contracts';
import { crashPoint } from '@mgw/faults';
import { DeadlineExceeded, asStorageProblem, within, type Tx } from '@mgw/postgres';
import { counter, histogram, startSpan, type Span } from '@mgw/telemetry';
import { Attempts } from './attempts';
import type { EventConsumerOptions } from './consumer';
import { DeadLetters, type AskedLetter } from './dead-letters';
import { Failures, PermanentFailure } from './failures';
import { Lanes } from './lanes';
import type { Offered } from './open-message';
import { readEvents } from './read-event';
import { keepTrace, spanAttributes } from './trace';

type Handling = { event: EventEnvelope; span: Span };
type Begun = Handling & { offered: Offered };

const MAX_DELAY_MS = 60_000;
/** Between two looks for the database, and until events come again that were put off for want of it. */
const DATABASE_PAUSE_MS = 300;
const AWAY_DELAY_MS = 1_000;
/** Deadline of a handler, beyond that of its statements, in milliseconds. */
const HANDLE_WITHIN_MS = 15_000;
/**
 * Marked beginnings without an end, after which an event is set aside. Before the first of them it was delivered without a mark, so the
 * process has ended three times with the event in its hands, the last time with nothing else.
 */
const MOST_BEGUN = 2;
/** A handler may exceed its deadline this often. */
const MOST_STALLS = 3;
/** Keys with an event in the dead letters, whose later events have one attempt until one succeeds. */
const MOST_FAILED_KEYS = 1_000;
const handled = counter('mgw_events_handled_total', 'Events by what became of them', ['consumer', 'outcome']);
const age = histogram('mgw_event_age_seconds', 'From the telling of an event to its handling', ['consumer']);

/**
 * Handles events in one transaction. When it fails they are divided, so that one that fails by itself holds up nobody else: it comes
 * again later, and where order matters later events of its key wait for it.
 */
export class BatchHandler {
  private readonly failures = new Failures();
  private readonly letters: DeadLetters;
  private readonly attempts: Attempts;
  private readonly lanes = new Lanes();
  private readonly failedKeys = new Set<string>();

  /**
   * @param goesOn whether events are to be handled still
   * @param readmit takes back events that waited behind one which is done, in front of all others
   */
  constructor(
    private readonly options: EventConsumerOptions,
    private readonly goesOn: () => boolean,
    private readonly readmit: (offered: Offered[]) => void,
  ) {
    this.letters = new DeadLetters(options.db, options.schema);
    this.attempts = new Attempts(options.db, options.schema, options.durable);
  }

  /** @returns whether it waits behind an earlier event of its key, and comes back through `readmit` */
  holds(offered: Offered): boolean {
    return this.lanes.holds(offered);
  }

  /** Takes an event that failed and is due again. */
  takeDue(): Offered | undefined {
    return this.lanes.takeDue();
  }

  get dueInMs(): number {
    return this.lanes.dueInMs;
  }

  /** Drops the events that wait; they are somebody else's now. */
  drop(): void {
    this.lanes.clear();
  }

  /** Never throws: each event ends done, put off, or among the dead letters. */
  async handle(offered: readonly Offered[]): Promise<void> {
    const readable: Offered[] = [];
    for (const one of offered) {
      if ('event' in one.read) readable.push(one);
      else await this.bury(one, one.read.body, one.read.reason);
    }
    if (readable.length === 0) return;
    if (readable.some(({ message }) => message.deliveries > 1)) await this.handleMarked(readable);
    else await this.work(readable.map((one) => this.begin(one)));
  }

  /**
   * Events that were delivered before: a process may have died of one. Their handling is marked before it begins, and what was marked
   * already is handled alone.
   */
  private async handleMarked(offered: readonly Offered[]): Promise<void> {
    const begun = await this.patiently(() => this.attempts.begun(offered.map(idOf)));
    if (begun === undefined) return this.putAllOff(offered);
    for (const group of groupsOf(offered, (one) => begun.has(idOf(one)))) {
      const [first] = group;
      if (first && (begun.get(idOf(first)) ?? 0) >= MOST_BEGUN) await this.setAside(first);
      else await Attempts.alone(() => this.workMarked(group));
    }
  }

  private async workMarked(group: readonly Offered[]): Promise<void> {
    const free = group.filter((one) => !this.holds(one));
    const ids = free.map(idOf);
    if (ids.length === 0) return;
    const isMarked = await this.patiently(async () => {
      await this.attempts.begin(ids);
      return true;
    });
    if (!isMarked) return this.putAllOff(free);
    await this.work(free.map((one) => this.begin(one)));
    await this.unmark(ids);
  }

  private async unmark(ids: readonly string[]): Promise<void> {
    try {
      await this.attempts.end(ids);
    } catch (error) {
      this.options.logger.warn({ err: error, consumer: this.options.durable }, 'marks of handled events could not be deleted');
    }
  }

  /** The handling of this event has ended its process again and again. */
  private async setAside(offered: Offered): Promise<void> {
    if (this.holds(offered) || !('event' in offered.read)) return;
    const reason = `its handling began ${MOST_BEGUN + 1} times and never ended`;
    if (await this.bury(offered, JSON.stringify(offered.read.event), reason)) await this.unmark([idOf(offered)]);
  }

  /** Where order matters it tries until the database answers. @returns undefined when the events have to be put off */
  private async patiently<T>(work: () => Promise<T>): Promise<T | undefined> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        this.options.logger.warn({ err: error, consumer: this.options.durable }, 'marks of begun events failed; trying again');
        if (!this.options.ordered || !this.goesOn()) return undefined;
        await new Promise((resume) => setTimeout(resume, DATABASE_PAUSE_MS));
      }
    }
  }

  private putAllOff(offered: readonly Offered[]): void {
    for (const { message } of offered) if (!this.options.ordered) message.again(this.goesOn() ? AWAY_DELAY_MS : 0);
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
      await Attempts.alone(() => this.replayMarked(letter));
      return true;
    } catch (error) {
      logger.warn({ err: error, consumer: durable }, 'dead letters could not be replayed now; it is tried again');
      return false;
    }
  }

  /** A letter whose replay ended the process is not replayed at every start. */
  private async replayMarked(letter: AskedLetter): Promise<void> {
    const mark = `letter ${letter.id}`;
    const begun = (await this.attempts.begun([mark])).get(mark) ?? 0;
    await this.attempts.begin([mark]);
    const failure = begun > MOST_BEGUN ? new Error('its replay began three times and never ended') : await this.handleAgain(letter);
    if (failure === undefined) await this.letters.remove([letter.id]);
    else await this.keep(letter, failure);
    await this.unmark([mark]);
  }

  /** @returns what went wrong, or undefined */
  private async handleAgain({ subject, body }: AskedLetter): Promise<Error | undefined> {
    const reads = readEvents(subject, Buffer.from(body));
    const flaw = reads.find((read) => 'reason' in read);
    if (flaw) return new Error(flaw.reason);
    const handlings = reads.flatMap((read) => ('event' in read ? [this.trace(subject, read.event, null)] : []));
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
    if (!this.goesOn() || (!this.options.ordered && !(await this.databaseTakes(failure)))) return this.putOff(begun, failure);
    if (begun.length === 1) return this.giveUp(begun[0] as Begun, failure);
    // One that stalls would stall each half again.
    const size = failure instanceof DeadlineExceeded ? 1 : Math.ceil(begun.length / 2);
    for (let at = 0; at < begun.length; at += size) await this.workUnheld(begun.slice(at, at + size));
  }

  /** Leaves out events whose key has failed meanwhile. */
  private async workUnheld(begun: Begun[]): Promise<void> {
    const free = begun.filter(({ offered, span }) => {
      if (!this.holds(offered)) return true;
      span.end();
      return false;
    });
    if (free.length > 0) await this.work(free);
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

  private begin(offered: Offered): Begun {
    const { read, message, traceparent } = offered;
    return { offered, ...this.trace(message.subject, (read as { event: EventEnvelope }).event, traceparent) };
  }

  /** Each event's own trace goes on, also when several are handled together. */
  private trace(subject: string, event: EventEnvelope, parent: string | null): Handling {
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
    for (const { offered, event } of begun) {
      this.failures.forget(event.id);
      this.failedKeys.delete(event.key);
      age.observe({ consumer: this.options.durable }, (now - offered.message.publishedAt) / 1_000);
      this.done(offered);
    }
    return undefined;
  }

  private done(offered: Offered): void {
    offered.message.done();
    if (this.options.ordered) this.readmit(this.lanes.release(offered));
  }

  /** @returns what went wrong, or undefined when it is committed */
  private async haveEffect(handlings: Handling[]): Promise<Error | undefined> {
    const { db, durable, oneStatement, handleWithinMs = HANDLE_WITHIN_MS } = this.options;
    const events = handlings.map(({ event }) => event);
    let told: EventEnvelope[] = [];
    try {
      if (oneStatement) {
        crashPoint('consumer.before-commit');
        told = (await within(handleWithinMs, () => this.options.handle(events, db))) ?? [];
      } else {
        const work = async (tx: Tx) => {
          const fresh = await this.unseen(tx, events);
          if (fresh.length > 0) told = (await this.options.handle(fresh, tx)) ?? [];
          crashPoint('consumer.before-commit');
        };
        await db.transaction(work, { withinMs: handleWithinMs });
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

  /** Transient failure: redeliver without counting an attempt. An ordered consumer that stops leaves them to the next replica. */
  private putOff(begun: Begun[], failure: Error): void {
    const { durable, logger, ordered } = this.options;
    logger.warn({ err: failure, consumer: durable, events: begun.length }, 'events could not be handled now; they come again');
    for (const { offered, span } of begun) {
      span.fail(failure);
      span.end();
      handled.inc({ consumer: durable, outcome: 'retry' });
      if (!ordered) offered.message.again(this.goesOn() ? AWAY_DELAY_MS : 0);
    }
  }

  private async giveUp({ offered, event, span }: Begun, failure: Error): Promise<void> {
    const { durable, maxDeliver = 10, logger, ordered } = this.options;
    span.fail(failure);
    span.end();
    const isStall = failure instanceof DeadlineExceeded;
    const failures = this.failures.add(event.id, isStall ? Math.ceil(maxDeliver / MOST_STALLS) : 1);
    if (failure instanceof PermanentFailure || failures >= maxDeliver || this.failedKeys.has(event.key)) {
      if (ordered) this.failed(event.key);
      this.failures.forget(event.id);
      await this.bury(offered, JSON.stringify(event), failure.message);
      return;
    }
    logger.warn({ err: failure, consumer: durable, event_id: event.id, failures }, 'an event could not be handled; it comes again');
    handled.inc({ consumer: durable, outcome: 'retry' });
    if (ordered) this.lanes.fail(offered);
    else offered.message.again(Math.min(MAX_DELAY_MS, 200 * 2 ** Math.min(failures, 10)));
  }

  private failed(key: string): void {
    this.failedKeys.add(key);
    const [oldest] = this.failedKeys;
    if (this.failedKeys.size > MOST_FAILED_KEYS && oldest !== undefined) this.failedKeys.delete(oldest);
  }

  /** @returns whether it is in the dead letters; if not, it comes again */
  private async bury(offered: Offered, body: string, reason: string): Promise<boolean> {
    const { durable, logger, ordered } = this.options;
    const { subject, deliveries } = offered.message;
    try {
      await this.letters.add({ consumer: durable, subject, body, reason, tries: deliveries });
    } catch (error) {
      logger.warn({ err: error, consumer: durable }, 'the dead letters could not be written; the event comes again');
      if (ordered) this.lanes.fail(offered);
      else offered.message.again(AWAY_DELAY_MS);
      return false;
    }
    logger.error({ consumer: durable, subject, reason }, 'an event went to the dead letters');
    handled.inc({ consumer: durable, outcome: 'dead' });
    this.done(offered);
    return true;
  }

  /** Whether the failure is not for want of the database: it answers, and had room for what the events wrote. */
  private async databaseTakes(failure: Error): Promise<boolean> {
    return asStorageProblem(failure) === null && (await this.databaseAnswers());
  }

  private databaseAnswers(): Promise<boolean> {
    return this.options.db.ping().catch(() => false);
  }
}

function idOf({ read }: Offered): string {
  return 'event' in read ? read.event.id : '';
}

/** Divides a list into runs, in order; one that is to be alone is a run of its own. */
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
