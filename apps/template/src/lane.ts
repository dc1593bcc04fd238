import { Signal } from '@mgw/events';
import type { Logger } from '@mgw/telemetry';

export interface LaneOptions<Job> {
  /** The name of its jobs in the log. */
  name: string;
  /** Jobs that run side by side. */
  places: number;
  /** Claims jobs that are due. */
  take: (atMost: number) => Promise<Job[]>;
  work: (job: Job) => Promise<void>;
  logger: Logger;
}

const LOOK_EVERY_MS = 2_000;

/** Runs jobs as they become due. Each place is free again when its own job has ended, so a job that hangs keeps one place and nobody else back. */
export class Lane<Job> {
  private readonly signal = new Signal();
  private readonly running = new Set<Promise<void>>();
  private stopped = false;
  private ended: Promise<void> = Promise.resolve();

  constructor(private readonly options: LaneOptions<Job>) {}

  start(): void {
    this.ended = this.run();
  }

  nudge(): void {
    this.signal.give();
  }

  /** Waits for the jobs that run: each call of theirs has a deadline. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.signal.give();
    await this.ended;
    await Promise.all(this.running);
  }

  private async run(): Promise<void> {
    const { name, places, take, logger } = this.options;
    while (!this.stopped) {
      try {
        const room = places - this.running.size;
        const jobs = room > 0 ? await take(room) : [];
        for (const job of jobs) this.begin(job);
        if (jobs.length < room || room === 0) await this.signal.wait(LOOK_EVERY_MS);
      } catch (error) {
        logger.warn({ err: error, name }, 'taking background work failed; trying again');
        await this.signal.wait(LOOK_EVERY_MS);
      }
    }
  }

  private begin(job: Job): void {
    const { name, work, logger } = this.options;
    const ended = work(job)
      .catch((error: unknown) => logger.warn({ err: error, name }, 'background work failed; it is repeated'))
      .finally(() => {
        this.running.delete(ended);
        this.signal.give();
      });
    this.running.add(ended);
  }
}
