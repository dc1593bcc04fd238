import { Signal } from '@mgw/events';
import type { Logger } from '@mgw/telemetry';

export interface JobPoolOptions<Job> {
  /** The name of its jobs in the log. */
  name: string;
  /** Jobs that run side by side. */
  maxConcurrent: number;
  /** Claims jobs that are due. */
  claim: (atMost: number) => Promise<Job[]>;
  run: (job: Job) => Promise<void>;
  logger: Logger;
}

const POLL_INTERVAL_MS = 2_000;

/** Runs jobs as they become due. Each place is free again when its own job has ended, so a job that hangs keeps one place and nobody else back. */
export class JobPool<Job> {
  private readonly signal = new Signal();
  private readonly running = new Set<Promise<void>>();
  private stopped = false;
  private ended: Promise<void> = Promise.resolve();

  constructor(private readonly options: JobPoolOptions<Job>) {}

  start(): void {
    this.ended = this.loop();
  }

  nudge(): void {
    this.signal.notify();
  }

  /** Waits for the jobs that run: each call of theirs has a deadline. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.signal.notify();
    await this.ended;
    await Promise.all(this.running);
  }

  private async loop(): Promise<void> {
    const { name, maxConcurrent, claim, logger } = this.options;
    while (!this.stopped) {
      try {
        const room = maxConcurrent - this.running.size;
        const jobs = room > 0 ? await claim(room) : [];
        for (const job of jobs) this.startJob(job);
        if (jobs.length < room || room === 0) await this.signal.wait(POLL_INTERVAL_MS);
      } catch (error) {
        logger.warn({ err: error, name }, 'taking background work failed; trying again');
        await this.signal.wait(POLL_INTERVAL_MS);
      }
    }
  }

  private startJob(job: Job): void {
    const { name, run, logger } = this.options;
    const ended = run(job)
      .catch((error: unknown) => logger.warn({ err: error, name }, 'background work failed; it is repeated'))
      .finally(() => {
        this.running.delete(ended);
        this.signal.notify();
      });
    this.running.add(ended);
  }
}
