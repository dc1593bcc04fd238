import type { EventEnvelope, StreamName } from '@mgw/contracts';
import type { Logger } from '@mgw/telemetry';
import { consumerOpts, type JetStreamSubscription, type JsMsg, type NatsConnection } from 'nats';
import { readEvent } from './read-event';
import { ensureStreams, limitsOn } from './streams';

export interface TailedEvent {
  /** Its place in the stream: what a follower names to go on from there. */
  seq: number;
  event: EventEnvelope;
}

export interface EventTailOptions {
  nc: NatsConnection;
  stream: StreamName;
  /** Of all the stream's events, for example `public.>`. */
  subject: string;
  logger: Logger;
}

type Hear = (tailed: TailedEvent) => void;

/** Events as they come, for people who watch: one ordered consumer for all followers of this process, and one more for who catches up. */
export class EventTail {
  private readonly followers = new Set<Hear>();
  private live: Promise<JetStreamSubscription> | undefined;
  private lastSeq = 0;

  constructor(private readonly options: EventTailOptions) {}

  /**
   * Hears every event after `afterSeq` (null: from now on), each once and in order.
   * @returns what ends it
   */
  async follow(afterSeq: number | null, hear: Hear): Promise<() => void> {
    const waiting: TailedEvent[] = [];
    let deliver: Hear = (tailed) => void waiting.push(tailed);
    const follower: Hear = (tailed) => deliver(tailed);
    this.followers.add(follower);
    await (this.live ??= this.listen());
    let last = await this.catchUp(afterSeq, hear);
    deliver = (tailed) => {
      if (tailed.seq <= last) return;
      last = tailed.seq;
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
      return await this.subscribe((tailed) => {
        this.lastSeq = tailed.seq;
        for (const hear of this.followers) hear(tailed);
      });
    } catch (error) {
      this.live = undefined;
      throw error;
    }
  }

  /** @returns the place of the last event that was read from the store */
  private async catchUp(afterSeq: number | null, hear: Hear): Promise<number> {
    if (afterSeq === null) return this.lastSeq;
    const { state } = await (await this.options.nc.jetstreamManager()).streams.info(this.options.stream);
    if (afterSeq >= state.last_seq) return Math.min(afterSeq, state.last_seq);
    let subscription: JetStreamSubscription | undefined;
    let last = afterSeq;
    await new Promise<void>((resolve, reject) => {
      this.subscribe((tailed) => {
        last = tailed.seq;
        hear(tailed);
        if (tailed.seq >= state.last_seq) resolve();
      }, afterSeq + 1).then((made) => (subscription = made), reject);
    });
    subscription?.unsubscribe();
    return last;
  }

  private subscribe(hear: Hear, startSeq?: number): Promise<JetStreamSubscription> {
    const options = consumerOpts();
    options.orderedConsumer();
    options.bindStream(this.options.stream);
    if (startSeq === undefined) options.deliverNew();
    else options.startSequence(startSeq);
    options.callback((error, message) => {
      if (error || !message) this.options.logger.warn({ err: error }, 'the tail of events stumbled');
      else this.read(message, hear);
    });
    return this.options.nc.jetstream().subscribe(this.options.subject, options);
  }

  private read(message: JsMsg, hear: Hear): void {
    const read = readEvent(message.subject, message.data);
    if ('event' in read) hear({ seq: message.seq, event: read.event });
  }
}
