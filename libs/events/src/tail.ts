import { setTimeout as pause } from 'node:timers/promises';
import type { EventEnvelope, StreamName } from '@mgw/contracts';
import { abortAfter } from '@mgw/deadlines';
import type { Logger } from '@mgw/telemetry';
import {
  consumerOpts,
  type ConsumerInfo,
  type ConsumerOptsBuilder,
  type JetStreamSubscription,
  type JsMsg,
  type NatsConnection,
} from 'nats';
import { readEvents } from './read-event';
import { ensureStreams, limitsOn } from './streams';

export interface TailedEvent {
  /** The place at which a follower resumes: the message's sequence in the stream, plus the event's index in that message as a fraction. */
  position: number;
  event: EventEnvelope;
}

/** The beginning of a follower. */
export interface TailStart {
  position: number;
  /** False if the follower misses messages: the stream has deleted or lost them, or they are too old to catch up with. */
  isComplete: boolean;
}

export interface FollowOptions {
  /** The follower wants only events of this business. It still receives others, except those that are cheap to skip. */
  businessId?: number;
  /** Ends a catch-up when the reader disconnects. */
  gone?: AbortSignal;
}

interface EventTailOptions {
  nc: NatsConnection;
  stream: StreamName;
  /** The stream's subjects, for example `public.>`. */
  subject: string;
  logger: Logger;
  /** Bytes of live events that wait for one follower while it catches up. */
  maxBacklogBytes?: number;
}

/** More than the events of a message. */
const POSITIONS_PER_MESSAGE = 1_000;
const MAX_BACKLOG_BYTES = 256 * 1024;
/** Bytes of live events that wait for all followers that catch up. */
const MAX_BACKLOG_BYTES_OF_ALL = 4 * 1024 ** 2;
/** Messages that a catch-up reads at most: those of the last 100 s if all businesses publish 100 messages a second. */
const MAX_CATCH_UP_MESSAGES = 10_000;
/** Bytes that a catch-up reads, by the average message of the stream. It holds one message at a time. */
const CATCH_UP_BYTES = 32 * 1024 ** 2;
/** Time for a catch-up, because it holds a place that other readers wait for. */
const CATCH_UP_WITHIN_MS = 10_000;
const RETRY_MS = 500;

type OnStart = (start: TailStart) => void;

/** @returns false when the reader is gone */
type OnEvent = (tailed: TailedEvent) => unknown;

interface Follower {
  onEvent: OnEvent;
  businessId: number | undefined;
  /** Live events that arrived while it caught up; undefined afterwards. */
  backlog: TailedEvent[] | undefined;
  backlogBytes: number;
  isDropped: boolean;
  /** The position of the last event that it received. */
  last: number;
}

/** The follower did not catch up in time, or before its backlog was full. It resumes from the last position that it received. */
export class FollowerDroppedError extends Error {
  override readonly name = 'FollowerDroppedError';
}

/**
 * Delivers events to people who watch: one JetStream consumer serves all followers of this process, and another one serves each
 * follower that catches up.
 */
export class EventTail {
  private readonly followers = new Set<Follower>();
  private readonly catchUps = new Set<JetStreamSubscription>();
  private live: JetStreamSubscription | undefined;
  /** Creation time of the stream that `live` reads; undefined before the first follower. */
  private created: string | undefined;
  private opening: Promise<void> | undefined;
  /** Rises when positions begin again, with a stream that replaced a lost one. */
  private numbering = 0;
  private lastPosition = 0;
  private backlogBytes = 0;
  private closed = false;

  constructor(private readonly options: EventTailOptions) {
    void this.watch();
  }

  /** The position of the last live event, which every follower that has caught up has received. */
  get position(): number {
    return this.lastPosition;
  }

  /**
   * Delivers every event after the position (null: from now on) once and in order. A follower more than MAX_CATCH_UP_MESSAGES or
   * CATCH_UP_BYTES behind the end of the stream misses the older ones. After JetStream lost its store it delivers what is published from then on.
   * @param onStart is called once, before the first event
   * @returns a function that ends it
   * @throws FollowerDroppedError
   */
  async follow(
    after: number | null,
    onEvent: OnEvent,
    onStart: OnStart = () => undefined,
    options: FollowOptions = {},
  ): Promise<() => void> {
    const follower: Follower = { onEvent, backlog: [], backlogBytes: 0, isDropped: false, last: 0, businessId: options.businessId };
    this.followers.add(follower);
    try {
      await this.openLive();
      const { numbering } = this;
      const last = await this.catchUp(after, follower, onStart, options);
      if (follower.isDropped) throw new FollowerDroppedError('too many events were published before the follower caught up');
      if (numbering === this.numbering) follower.last = last;
    } catch (error) {
      this.remove(follower);
      throw error;
    }
    for (const tailed of this.takeBacklog(follower)) deliver(follower, tailed);
    return () => this.remove(follower);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.followers.clear();
    await this.opening?.catch(() => undefined);
    for (const subscription of [...this.catchUps, this.live]) subscription?.unsubscribe();
  }

  /** Subscribes to the stream, if it is not the one that `live` reads. */
  private openLive(): Promise<void> {
    return (this.opening ??= this.compareStream().finally(() => (this.opening = undefined)));
  }

  private async compareStream(): Promise<void> {
    const manager = await this.options.nc.jetstreamManager();
    await ensureStreams(manager, limitsOn(this.options.nc));
    const { created, state } = await manager.streams.info(this.options.stream);
    if (this.closed) return;
    if (this.created !== created) this.beginNumbering(this.created === undefined ? afterMessage(state.last_seq) : 0);
    else if (this.live) return;
    const options = this.optionsFrom(Math.floor(this.lastPosition) + 1);
    options.callback((error, message) => {
      if (error || !message) this.options.logger.warn({ err: error }, 'reading the live tail failed for a message');
      else this.receiveLive(message);
    });
    this.live = await this.subscribe(options);
    this.created = created;
  }

  /** A stream that replaced a lost one counts from one again: followers receive it from its beginning. */
  private beginNumbering(position: number): void {
    this.endLive();
    for (const subscription of this.catchUps) subscription.unsubscribe();
    this.numbering += 1;
    this.lastPosition = position;
    for (const follower of this.followers) {
      if (follower.backlog !== undefined) follower.backlog = (this.takeBacklog(follower), []);
      follower.last = 0;
    }
  }

  private endLive(): void {
    this.live?.unsubscribe();
    this.live = undefined;
  }

  /** Subscribes again after each reconnection: a restarted server has lost the subscription's place, and may have lost its store. */
  private async watch(): Promise<void> {
    for await (const { type } of this.options.nc.status()) {
      if (this.closed) return;
      if (type !== 'reconnect' || this.created === undefined) continue;
      this.endLive();
      void this.reopenLive();
    }
  }

  private async reopenLive(): Promise<void> {
    while (!this.closed && !this.live) {
      try {
        await this.openLive();
      } catch (error) {
        this.options.logger.warn({ err: error }, 'reopening the live tail failed; will retry');
        await pause(RETRY_MS);
      }
    }
  }

  private receiveLive(message: JsMsg): void {
    // The client reads the stream from its beginning if the server loses the subscription's place before the first message.
    if (message.seq <= this.lastPosition) return;
    const events = tailedIn(message);
    const bytes = Math.ceil(message.data.length / events.length);
    for (const tailed of events) {
      this.lastPosition = tailed.position;
      for (const follower of this.followers) {
        if (follower.backlog === undefined) deliver(follower, tailed);
        else if (follower.businessId === undefined || follower.businessId === tailed.event.business_id) this.hold(follower, tailed, bytes);
      }
    }
  }

  /** Keeps a live event for a follower that still catches up. Over a bound it drops the follower with the most bytes. */
  private hold(follower: Follower, tailed: TailedEvent, bytes: number): void {
    follower.backlog?.push(tailed);
    follower.backlogBytes += bytes;
    this.backlogBytes += bytes;
    if (follower.backlogBytes > (this.options.maxBacklogBytes ?? MAX_BACKLOG_BYTES)) this.drop(follower);
    while (this.backlogBytes > MAX_BACKLOG_BYTES_OF_ALL) {
      this.drop([...this.followers].reduce((most, other) => (other.backlogBytes > most.backlogBytes ? other : most)));
    }
  }

  private drop(follower: Follower): void {
    follower.isDropped = true;
    this.remove(follower);
  }

  private remove(follower: Follower): void {
    this.followers.delete(follower);
    this.takeBacklog(follower);
  }

  private takeBacklog(follower: Follower): TailedEvent[] {
    const { backlog = [] } = follower;
    this.backlogBytes -= follower.backlogBytes;
    follower.backlogBytes = 0;
    follower.backlog = undefined;
    return backlog;
  }

  /** @returns the position of the last event that it read from the store */
  private async catchUp(after: number | null, follower: Follower, onStart: OnStart, { gone }: FollowOptions): Promise<number> {
    if (after === null) {
      onStart({ position: this.lastPosition, isComplete: true });
      return this.lastPosition;
    }
    const { state } = await (await this.options.nc.jetstreamManager()).streams.info(this.options.stream);
    const most = Math.min(MAX_CATCH_UP_MESSAGES, Math.ceil((CATCH_UP_BYTES * state.messages) / Math.max(1, state.bytes)));
    const first = Math.max(state.first_seq, state.last_seq - most + 1);
    const isComplete = Math.floor(after) + 1 >= first && Math.floor(after) <= state.last_seq;
    const position = isComplete ? after : Math.min(Math.max(after, first - 1), state.last_seq);
    onStart({ position, isComplete });
    // The follower may have received only a part of a message.
    const seq = Math.max(1, isComplete ? Math.floor(after) : first);
    if (after >= afterMessage(state.last_seq) || seq > state.last_seq || state.messages === 0) return position;
    const ended = abortAfter(CATCH_UP_WITHIN_MS, ...(gone ? [gone] : []));
    const subscription = await this.subscribe(this.optionsFrom(seq));
    const end = () => subscription.unsubscribe();
    if (ended.aborted) end();
    else ended.addEventListener('abort', end);
    this.catchUps.add(subscription);
    let last = position;
    try {
      // An erasure may have deleted all of them.
      if (pendingAtFirst(subscription) === 0) return position;
      for await (const message of subscription) {
        if (follower.isDropped || ended.aborted) break;
        for (const tailed of mayConcern(message, follower.businessId) ? tailedIn(message) : []) {
          if (tailed.position <= position) continue;
          last = tailed.position;
          if (follower.onEvent(tailed) === false) return last;
        }
        // `live` delivers what follows. An erasure may have deleted the last message of the stream.
        if (message.seq >= state.last_seq || message.info.pending === 0) break;
      }
    } finally {
      ended.removeEventListener('abort', end);
      this.catchUps.delete(subscription);
      end();
    }
    if (ended.aborted) throw new FollowerDroppedError('the follower left or did not catch up in time');
    return last;
  }

  private optionsFrom(seq: number): ConsumerOptsBuilder {
    const options = consumerOpts();
    options.orderedConsumer();
    options.bindStream(this.options.stream);
    options.startSequence(seq);
    return options;
  }

  private subscribe(options: ConsumerOptsBuilder): Promise<JetStreamSubscription> {
    return this.options.nc.jetstream().subscribe(this.options.subject, options);
  }
}

/** The position after the last event of a message. */
const afterMessage = (seq: number) => seq + (POSITIONS_PER_MESSAGE - 1) / POSITIONS_PER_MESSAGE;

/** @returns how many messages the stream had for the subscription when it began. The client's types lack it. */
function pendingAtFirst(subscription: JetStreamSubscription & { info?: { last: ConsumerInfo } }): number | undefined {
  return subscription.info?.last.num_pending;
}

/** Finds messages of other businesses without parsing them: an outbox writes each event with JSON.stringify. */
function mayConcern({ data }: JsMsg, businessId: number | undefined): boolean {
  return businessId === undefined || Buffer.from(data.buffer, data.byteOffset, data.byteLength).includes(`"business_id":${businessId}`);
}

function tailedIn(message: JsMsg): TailedEvent[] {
  return readEvents(message.subject, message.data).flatMap((read, i) =>
    'event' in read ? [{ position: message.seq + i / POSITIONS_PER_MESSAGE, event: read.event }] : [],
  );
}

function deliver(follower: Follower, tailed: TailedEvent): void {
  if (tailed.position <= follower.last) return;
  follower.last = tailed.position;
  follower.onEvent(tailed);
}
