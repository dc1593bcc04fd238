import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Egress } from '@mgw/egress';
import { OutboxRelay, WorkerHeartbeat } from '@mgw/events';
import { BackgroundLoop, LOGGER } from '@mgw/service';
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
export class WorkerService extends BackgroundLoop {
  private readonly running = new Set<Promise<void>>();
  private readonly businesses = new Shares({ places: MAX_QUESTIONS, largest: ONE_BUSINESS });
  private readonly origins = new Shares({ places: MAX_QUESTIONS, largest: ONE_ORIGIN });

  constructor(
    private readonly replies: RepliesStore,
    private readonly service: ReplyService,
    private readonly relay: OutboxRelay,
    private readonly egress: Egress,
    private readonly heartbeat: WorkerHeartbeat,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super({ name: 'claiming questions', logger, retryMs: POLL_MS });
    heartbeat.onChange(() => this.wake());
  }

  override onApplicationBootstrap(): void {
    this.relay.start();
    this.heartbeat.start();
    super.onApplicationBootstrap();
  }

  override async onApplicationShutdown(): Promise<void> {
    await super.onApplicationShutdown();
    await this.waitForRunning(DRAIN_MS);
    await this.egress.close();
    await this.waitForRunning(RELEASE_MS);
    await this.heartbeat.stop();
    await this.relay.stop();
  }

  private async waitForRunning(withinMs: number): Promise<void> {
    await Promise.race([Promise.all(this.running), pause(withinMs, undefined, { ref: false })]);
  }

  protected async round(): Promise<number> {
    const claimed = await this.claim();
    for (const question of claimed) await this.start(question);
    // A claim takes one question per business, so more may be due.
    return claimed.length === 0 ? POLL_MS : 0;
  }

  private async claim(): Promise<Question[]> {
    const room = MAX_QUESTIONS - this.running.size;
    const { id } = this.heartbeat;
    if (room === 0 || id === undefined) return [];
    return this.replies.claim(room, id, { full: this.businesses.withoutRoom(), origins: this.origins.rooms() });
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
        this.wake();
      });
    this.running.add(work);
  }
}
