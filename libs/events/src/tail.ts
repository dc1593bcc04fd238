import type { EventEnvelope, StreamName } from '@mgw/contracts';
import type { Logger } from '@mgw/telemetry';
import { consumerOpts, type ConsumerOptsBuilder, type JetStreamSubscription, type JsMsg, type NatsConnection } from 'nats';
import { readEvents } from './read-event';
import { ensureStreams, limitsOn } from './streams';

export interface TailedEvent {
  /** What a follower names to go on from there: its message in the stream, and behind the point its position in that message. */
  position: number;
  event: EventEnvelope;
}

export interface EventTailOptions {
  nc: NatsConnection;
  stream: StreamName;
  /** Of all the stream's events, for example `public.>`. */
  subject: string;
  logger: Logger;
}

/** More than there are events in a message. */
const POSITIONS_PER_MESSAGE = 1_000;

/** @returns false when nobody is there any more */
type OnEvent = (tailed: TailedEvent) => unknown;

interface Follower {
  /** Undefined while it catches up. */
  onEvent: OnEvent | undefined;
  /** What came live meanwhile. */
  waiting: TailedEvent[];
  /** The position of what it heard last. */
  last: number;
}

const TRY_AGAIN_MS = 500;

/** Events as they come, for people who watch: one ordered consumer for all followers of this process, and one more for who catches up. */
export class EventTail {
  private readonly followers = new Set<Follower>();
  private readonly catchingUp = new Set<JetStreamSubscription>();
  private live: JetStreamSubscription | undefined;
  /** When the stream was made that is listened to; undefined before the first follower. */
  private created: string | undefined;
  private checking: Promise<void> | undefined;
  private lastPosition = 0;
  private closed = false;

  constructor(private readonly options: EventTailOptions) {
    void this.watch();
  }

  /**
   * Hears every event after the position (null: from now on), each once and in order; when JetStream has lost its store, all that
   * it is told from then on.
   * @returns what ends it
   */
  async follow(after: number | null, hear: OnEvent): Promise<() => void> {
    const follower: Follower = { onEvent: undefined, waiting: [], last: 0 };
    this.followers.add(follower);
    try {
      await this.openLive();
      const { created } = this;
      const last = await this.catchUp(after, hear);
      if (created === this.created) follower.last = last;
    } catch (error) {
      this.followers.delete(follower);
      throw error;
    }
    follower.onEvent = hear;
    for (const tailed of follower.waiting.splice(0)) deliver(follower, tailed);
    return () => void this.followers.delete(follower);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.followers.clear();
    await this.checking?.catch(() => undefined);
    for (const subscription of [...this.catchingUp, this.live]) subscription?.unsubscribe();
  }

  /** Listens to the stream that is there now. */
  private openLive(): Promise<void> {
    return (this.checking ??= this.check().finally(() => (this.checking = undefined)));
  }

  private async check(): Promise<void> {
    const manager = await this.options.nc.jetstreamManager();
    await ensureStreams(manager, limitsOn(this.options.nc));
    const { created } = await manager.streams.info(this.options.stream);
    if (this.created === created || this.closed) return;
    // Another one has lost the store, and counts from one again: whoever listens hears it from its beginning.
    const isAnother = this.created !== undefined;
    const options = this.from(isAnother ? 1 : 'now');
    options.callback((error, message) => {
      if (error || !message) this.options.logger.warn({ err: error }, 'the tail of events stumbled');
      else this.receiveLive(message);
    });
    this.live?.unsubscribe();
    for (const subscription of this.catchingUp) subscription.unsubscribe();
    this.lastPosition = 0;
    for (const follower of this.followers) Object.assign(follower, { last: 0, waiting: [] });
    this.live = await this.subscribe(options);
    this.created = created;
  }

  /** The server may have come back without its store. */
  private async watch(): Promise<void> {
    for await (const { type } of this.options.nc.status()) {
      if (this.closed) return;
      if (type === 'reconnect' && this.created !== undefined) void this.reopenLive();
    }
  }

  private async reopenLive(): Promise<void> {
    while (!this.closed) {
      try {
        return await this.openLive();
      } catch (error) {
        this.options.logger.warn({ err: error }, 'the tail of events does not know its stream; trying again');
        await new Promise((resume) => setTimeout(resume, TRY_AGAIN_MS));
      }
    }
  }

  private receiveLive(message: JsMsg): void {
    for (const tailed of tailedIn(message)) {
      this.lastPosition = tailed.position;
      for (const follower of this.followers) deliver(follower, tailed);
    }
  }

  /** @returns the position of the last event that was read from the store */
  private async catchUp(after: number | null, hear: OnEvent): Promise<number> {
    if (after === null) return this.lastPosition;
    const { state } = await (await this.options.nc.jetstreamManager()).streams.info(this.options.stream);
    // The message may hold more than was seen of it.
    const seq = Math.max(1, Math.floor(after));
    if (seq > state.last_seq || state.messages === 0) return Math.min(after, state.last_seq);
    let last = after;
    const subscription = await this.subscribe(this.from(seq));
    this.catchingUp.add(subscription);
    try {
      for await (const message of subscription) {
        for (const tailed of tailedIn(message)) {
          if (tailed.position <= after) continue;
          last = tailed.position;
          if (hear(tailed) === false) return last;
        }
        // What comes then is heard live.
        if (message.seq >= state.last_seq) break;
      }
    } finally {
      this.catchingUp.delete(subscription);
      subscription.unsubscribe();
    }
    return last;
  }

  private from(seq: number | 'now'): ConsumerOptsBuilder {
    const options = consumerOpts();
    options.orderedConsumer();
    options.bindStream(this.options.stream);
    if (seq === 'now') options.deliverNew();
    else options.startSequence(seq);
    return options;
  }

  private subscribe(options: ConsumerOptsBuilder): Promise<JetStreamSubscription> {
    return this.options.nc.jetstream().subscribe(this.options.subject, options);
  }
}

function tailedIn(message: JsMsg): TailedEvent[] {
  return readEvents(message.subject, message.data).flatMap((read, i) =>
    'event' in read ? [{ position: message.seq + i / POSITIONS_PER_MESSAGE, event: read.event }] : [],
  );
}

function deliver(follower: Follower, tailed: TailedEvent): void {
  if (!follower.onEvent) return void follower.waiting.push(tailed);
  if (tailed.position <= follower.last) return;
  follower.last = tailed.position;
  follower.onEvent(tailed);
}
