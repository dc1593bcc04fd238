import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Egress } from '@mgw/egress';
import { OutboxRelay, Signal, WorkerHeartbeat } from '@mgw/events';
import { Database } from '@mgw/postgres';
import { LOGGER } from '@mgw/service';
import { Shares } from '@mgw/shares';
import { withTraceparent, type Logger } from '@mgw/telemetry';
import { RepliesStore, type Question } from './replies.store';
import { ReplyService } from './reply.service';

/** Questions that one process works on: each holds at most 0.4 MB, of its context, the request and the response. */
const AT_ONCE = 128;
/** The parts of an idle process that one business's questions, and those to one model's origin, may take (guarantees §10, N2). */
const ONE_BUSINESS = 1 / 8;
const ONE_ORIGIN = 1 / 2;
const LOOK_EVERY_MS = 1_000;
/** On the way out; what the model has not answered by then another worker asks again. */
const DRAIN_MS = 4_000;
/** For handing such questions back; else they wait for the end of their lease. */
const GIVE_BACK_MS = 500;

/** Takes questions and works on them side by side. */
@Injectable()
export class WorkerService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly signal = new Signal();
  private readonly running = new Set<Promise<void>>();
  private readonly businesses = new Shares({ places: AT_ONCE, largest: ONE_BUSINESS });
  private readonly origins = new Shares({ places: AT_ONCE, largest: ONE_ORIGIN });
  private readonly heartbeat: WorkerHeartbeat;
  private stopped = false;
  private ended: Promise<void> = Promise.resolve();

  constructor(
    private readonly replies: RepliesStore,
    private readonly answering: ReplyService,
    private readonly relay: OutboxRelay,
    private readonly egress: Egress,
    db: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.heartbeat = new WorkerHeartbeat({ db, schema: 'auto_reply', logger });
    this.heartbeat.onChange(() => this.signal.give());
  }

  onApplicationBootstrap(): void {
    this.relay.start();
    this.heartbeat.start();
    this.ended = this.run();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.signal.give();
    await this.ended;
    await this.done(DRAIN_MS);
    await this.egress.close();
    await this.done(GIVE_BACK_MS);
    await this.heartbeat.stop();
    await this.relay.stop();
  }

  nudge(): void {
    this.signal.give();
  }

  private async done(withinMs: number): Promise<void> {
    await Promise.race([Promise.all(this.running), new Promise((resume) => setTimeout(resume, withinMs).unref())]);
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        const taken = await this.take();
        for (const question of taken) await this.begin(question);
        // One question of each business at a look: there may be more.
        if (taken.length === 0) await this.signal.wait(LOOK_EVERY_MS);
      } catch (error) {
        this.logger.warn({ err: error }, 'taking questions failed; trying again');
        await this.signal.wait(LOOK_EVERY_MS);
      }
    }
  }

  private async take(): Promise<Question[]> {
    const room = AT_ONCE - this.running.size;
    const { id } = this.heartbeat;
    if (room === 0 || id === undefined) return [];
    return this.replies.take(room, id, { businesses: this.businesses.withoutRoom(), origins: this.origins.withoutRoom() });
  }

  private async begin(question: Question): Promise<void> {
    const places = [this.businesses.tryTake(String(question.business_id)), this.origins.tryTake(question.origin)];
    const release = () => places.forEach((place) => place?.());
    if (places.includes(null)) {
      release();
      // Else its lease ends.
      return this.replies.giveBack(question).catch(() => undefined);
    }
    const work = withTraceparent(question.traceparent, () => this.answering.answer(question))
      .catch((error: unknown) => this.logger.warn({ err: error, reply_id: question.id }, 'a reply was interrupted; it is tried again'))
      .finally(() => {
        release();
        this.running.delete(work);
        this.signal.give();
      });
    this.running.add(work);
  }
}
