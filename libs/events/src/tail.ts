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

type Hear = (tailed: TailedEvent) => void;

/** Events as they come, for people who watch: one ordered consumer for all followers of this process, and one more for who catches up. */
export class EventTail {
  private readonly followers = new Set<Hear>();
  private live: Promise<JetStreamSubscription> | undefined;
  private lastPlace = 0;

  constructor(private readonly options: EventTailOptions) {}

  /**
   * Hears every event after the place (null: from now on), each once and in order.
   * @returns what ends it
   */
  async follow(after: number | null, hear: Hear): Promise<() => void> {
    const waiting: TailedEvent[] = [];
    let deliver: Hear = (tailed) => void waiting.push(tailed);
    const follower: Hear = (tailed) => deliver(tailed);
    this.followers.add(follower);
    await (this.live ??= this.listen());
    let last = await this.catchUp(after, hear);
    deliver = (tailed) => {
      if (tailed.place <= last) return;
      last = tailed.place;
      hear(tailed);
    };
    for (const tailed of waiting.splice(0)) deliver(tailed);
    return () => void this.followers.delete(follower);
  }

  async close(): Promise<void> {
    this.followers.clear();
    await this.live?.then((subscription) => subscription.unsubscribe()).catch(() => undefined);
  }

  private async listen(): Promise<JetStreamSubscription> {
    try {
      await ensureStreams(await this.options.nc.jetstreamManager(), limitsOn(this.options.nc));
      const options = this.from('now');
      options.callback((error, message) => {
        if (error || !message) this.options.logger.warn({ err: error }, 'the tail of events stumbled');
        else this.hearLive(message);
      });
      return await this.subscribe(options);
    } catch (error) {
      this.live = undefined;
      throw error;
    }
  }

  private hearLive(message: JsMsg): void {
    for (const tailed of tailedIn(message)) {
      this.lastPlace = tailed.place;
      for (const hear of this.followers) hear(tailed);
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
    for await (const message of subscription) {
      for (const tailed of tailedIn(message)) {
        if (tailed.place <= after) continue;
        last = tailed.place;
        hear(tailed);
      }
      // What comes then is heard live.
      if (message.seq >= state.last_seq) break;
    }
    subscription.unsubscribe();
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
