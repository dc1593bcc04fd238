import { Signal } from '@mgw/events';
import type { Logger } from '@mgw/telemetry';

export interface JobPoolOptions<Job> {
  /** Names the jobs in the log. */
  name: string;
  /** Maximum concurrent jobs. */
  maxConcurrent: number;
  /** Claims due jobs. */
  claim: (atMost: number) => Promise<Job[]>;
  run: (job: Job) => Promise<void>;
  logger: Logger;
}

const POLL_INTERVAL_MS = 2_000;

/** Runs due jobs concurrently. A job that hangs occupies one slot and delays no other job. */
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

  /** Waits for running jobs, whose calls all have deadlines. */
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
        const free = maxConcurrent - this.running.size;
        const jobs = free > 0 ? await claim(free) : [];
        for (const job of jobs) this.startJob(job);
        if (jobs.length < free || free === 0) await this.signal.wait(POLL_INTERVAL_MS);
      } catch (error) {
        logger.warn({ err: error, name }, 'claiming background jobs failed; will retry');
        await this.signal.wait(POLL_INTERVAL_MS);
      }
    }
  }

  private startJob(job: Job): void {
    const { name, run, logger } = this.options;
    const ended = run(job)
      .catch((error: unknown) => logger.warn({ err: error, name }, 'background job failed; will retry'))
      .finally(() => {
        this.running.delete(ended);
        this.signal.notify();
      });
    this.running.add(ended);
  }
}
