import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Egress } from '@mgw/egress';
import { OutboxRelay, Signal } from '@mgw/events';
import { LOGGER } from '@mgw/service';
import { withTraceparent, type Logger } from '@mgw/telemetry';
import { RepliesStore } from './replies.store';
import { ReplyService } from './reply.service';

/** Questions that one process works on. */
const AT_ONCE = 32;
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
  private stopped = false;
  private ended: Promise<void> = Promise.resolve();

  constructor(
    private readonly replies: RepliesStore,
    private readonly answering: ReplyService,
    private readonly relay: OutboxRelay,
    private readonly egress: Egress,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.relay.start();
    this.ended = this.run();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.signal.give();
    await this.ended;
    await this.done(DRAIN_MS);
    await this.egress.close();
    await this.done(GIVE_BACK_MS);
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
        const room = AT_ONCE - this.running.size;
        const taken = room > 0 ? await this.replies.take(room) : [];
        for (const question of taken) {
          const work = withTraceparent(question.traceparent, () => this.answering.answer(question))
            .catch((error: unknown) =>
              this.logger.warn({ err: error, reply_id: question.id }, 'a reply was interrupted; it is tried again'),
            )
            .finally(() => {
              this.running.delete(work);
              this.signal.give();
            });
          this.running.add(work);
        }
        if (taken.length < room || room === 0) await this.signal.wait(LOOK_EVERY_MS);
      } catch (error) {
        this.logger.warn({ err: error }, 'questions could not be taken now; they stay stored');
        await this.signal.wait(LOOK_EVERY_MS);
      }
    }
  }
}
