import type { EventEnvelope, StreamName } from '@mgw/contracts';
import type { Logger } from '@mgw/telemetry';
import { consumerOpts, type ConsumerOptsBuilder, type JetStreamSubscription, type JsMsg, type NatsConnection } from 'nats';
import { readEvents } from './read-event';
import { ensureStreams, limitsOn } from './streams';

export interface TailedEvent {
  /** What a follower names to go on from there: its message in the stream, and behind the point its place in that message. */
  place: number;
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
const PLACES = 1_000;

/** @returns false when nobody is there any more */
type Hear = (tailed: TailedEvent) => unknown;

interface Follower {
  /** Undefined while it catches up. */
  hear: Hear | undefined;
  /** What came live meanwhile. */
  waiting: TailedEvent[];
  /** The place of what it heard last. */
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
  private lastPlace = 0;
  private closed = false;

  constructor(private readonly options: EventTailOptions) {
    void this.watch();
  }

  /**
   * Hears every event after the place (null: from now on), each once and in order; when JetStream has lost its store, all that
   * it is told from then on.
   * @returns what ends it
   */
  async follow(after: number | null, hear: Hear): Promise<() => void> {
    const follower: Follower = { hear: undefined, waiting: [], last: 0 };
    this.followers.add(follower);
    try {
      await this.listen();
      const { created } = this;
      const last = await this.catchUp(after, hear);
      if (created === this.created) follower.last = last;
    } catch (error) {
      this.followers.delete(follower);
      throw error;
    }
    follower.hear = hear;
    for (const tailed of follower.waiting.splice(0)) tell(follower, tailed);
    return () => void this.followers.delete(follower);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.followers.clear();
    await this.checking?.catch(() => undefined);
    for (const subscription of [...this.catchingUp, this.live]) subscription?.unsubscribe();
  }

  /** Listens to the stream that is there now. */
  private listen(): Promise<void> {
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
      else this.hearLive(message);
    });
    this.live?.unsubscribe();
    for (const subscription of this.catchingUp) subscription.unsubscribe();
    this.lastPlace = 0;
    for (const follower of this.followers) Object.assign(follower, { last: 0, waiting: [] });
    this.live = await this.subscribe(options);
    this.created = created;
  }

  /** The server may have come back without its store. */
  private async watch(): Promise<void> {
    for await (const { type } of this.options.nc.status()) {
      if (this.closed) return;
      if (type === 'reconnect' && this.created !== undefined) void this.listenAgain();
    }
  }

  private async listenAgain(): Promise<void> {
    while (!this.closed) {
      try {
        return await this.listen();
      } catch (error) {
        this.options.logger.warn({ err: error }, 'the tail of events does not know its stream; trying again');
        await new Promise((resume) => setTimeout(resume, TRY_AGAIN_MS));
      }
    }
  }

  private hearLive(message: JsMsg): void {
    for (const tailed of tailedIn(message)) {
      this.lastPlace = tailed.place;
      for (const follower of this.followers) tell(follower, tailed);
    }
  }

  /** @returns the place of the last event that was read from the store */
  private async catchUp(after: number | null, hear: Hear): Promise<number> {
    if (after === null) return this.lastPlace;
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
          if (tailed.place <= after) continue;
          last = tailed.place;
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
    'event' in read ? [{ place: message.seq + i / PLACES, event: read.event }] : [],
  );
}

function tell(follower: Follower, tailed: TailedEvent): void {
  if (!follower.hear) return void follower.waiting.push(tailed);
  if (tailed.place <= follower.last) return;
  follower.last = tailed.place;
  follower.hear(tailed);
}
