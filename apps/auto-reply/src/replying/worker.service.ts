import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Egress } from '@mgw/egress';
import { OutboxRelay, Signal, WorkerHeartbeat } from '@mgw/events';
import { Database } from '@mgw/postgres';
import { LOGGER } from '@mgw/service';
import { Shares } from '@mgw/shares';
import { withTraceparent, type Logger } from '@mgw/telemetry';
import { RepliesStore, type Question } from './replies.store';
import { ReplyService } from './reply.service';

/** Questions that one process handles at once. Each holds at most 0.4 MB: its context, the request and the response. */
const MAX_QUESTIONS = 128;
/** The shares of the workers that one business and one model's origin may use (guarantees §10, N2). */
const ONE_BUSINESS = 1 / 8;
const ONE_ORIGIN = 1 / 2;
const POLL_MS = 1_000;
/** How long a stopping process waits for models; another worker then claims their questions. */
const DRAIN_MS = 4_000;
/** Time to release such questions; without it they wait until their claims expire. */
const RELEASE_MS = 500;

/** Claims questions and handles them concurrently. */
@Injectable()
export class WorkerService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly signal = new Signal();
  private readonly running = new Set<Promise<void>>();
  private readonly businesses = new Shares({ places: MAX_QUESTIONS, largest: ONE_BUSINESS });
  private readonly origins = new Shares({ places: MAX_QUESTIONS, largest: ONE_ORIGIN });
  private readonly heartbeat: WorkerHeartbeat;
  private stopped = false;
  private ended: Promise<void> = Promise.resolve();

  constructor(
    private readonly replies: RepliesStore,
    private readonly service: ReplyService,
    private readonly relay: OutboxRelay,
    private readonly egress: Egress,
    db: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.heartbeat = new WorkerHeartbeat({ db, schema: 'auto_reply', logger });
    this.heartbeat.onChange(() => this.signal.notify());
  }

  onApplicationBootstrap(): void {
    this.relay.start();
    this.heartbeat.start();
    this.ended = this.run();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.signal.notify();
    await this.ended;
    await this.waitForRunning(DRAIN_MS);
    await this.egress.close();
    await this.waitForRunning(RELEASE_MS);
    await this.heartbeat.stop();
    await this.relay.stop();
  }

  nudge(): void {
    this.signal.notify();
  }

  private async waitForRunning(withinMs: number): Promise<void> {
    await Promise.race([Promise.all(this.running), new Promise((resume) => setTimeout(resume, withinMs).unref())]);
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        const claimed = await this.claim();
        for (const question of claimed) await this.start(question);
        // A claim takes one question per business, so more may be due.
        if (claimed.length === 0) await this.signal.wait(POLL_MS);
      } catch (error) {
        this.logger.warn({ err: error }, 'claiming questions failed; will retry');
        await this.signal.wait(POLL_MS);
      }
    }
  }

  private async claim(): Promise<Question[]> {
    const room = MAX_QUESTIONS - this.running.size;
    const { id } = this.heartbeat;
    if (room === 0 || id === undefined) return [];
    return this.replies.claim(room, id, { businesses: this.businesses.withoutRoom(), origins: this.origins.withoutRoom() });
  }

  private async start(question: Question): Promise<void> {
    const places = [this.businesses.tryTake(String(question.business_id)), this.origins.tryTake(question.origin)];
    const release = () => places.forEach((place) => place?.());
    if (places.includes(null)) {
      release();
      // If the release fails, the claim expires.
      return this.replies.release(question).catch(() => undefined);
    }
    const work = withTraceparent(question.traceparent, () => this.service.replyTo(question))
      .catch((error: unknown) => this.logger.warn({ err: error, reply_id: question.id }, 'a reply was interrupted; will retry'))
      .finally(() => {
        release();
        this.running.delete(work);
        this.signal.notify();
      });
    this.running.add(work);
  }
}
