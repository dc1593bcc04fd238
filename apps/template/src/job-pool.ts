import { BackgroundLoop } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';

export interface JobPoolOptions<Job> {
  /** Names the jobs in the log. */
  name: string;
  maxConcurrent: number;
  /** Claims due jobs. */
  claim: (atMost: number) => Promise<Job[]>;
  run: (job: Job) => Promise<void>;
  logger: Logger;
}

const POLL_INTERVAL_MS = 2_000;

/** Runs due jobs concurrently. A job that hangs occupies one slot and delays no other job. */
export class JobPool<Job> {
  private readonly running = new Set<Promise<void>>();
  private readonly loop: BackgroundLoop;

  constructor(private readonly options: JobPoolOptions<Job>) {
    const { name, logger } = options;
    this.loop = new BackgroundLoop({ name: `claiming ${name}`, logger, retryMs: POLL_INTERVAL_MS, run: () => this.startDue() });
  }

  start(): void {
    this.loop.start();
  }

  /** Polls for due jobs at once. */
  wake(): void {
    this.loop.wake();
  }

  /** Waits for running jobs, whose calls all have deadlines. */
  async stop(): Promise<void> {
    await this.loop.stop();
    await Promise.all(this.running);
  }

  /** @returns milliseconds until the next poll */
  private async startDue(): Promise<number> {
    const { maxConcurrent, claim } = this.options;
    const free = maxConcurrent - this.running.size;
    const jobs = free > 0 ? await claim(free) : [];
    for (const job of jobs) this.startJob(job);
    return free > 0 && jobs.length === free ? 0 : POLL_INTERVAL_MS;
  }

  private startJob(job: Job): void {
    const { name, run, logger } = this.options;
    const ended = run(job)
      .catch((error: unknown) => logger.warn({ err: error, name }, 'background job failed; will retry'))
      .finally(() => {
        this.running.delete(ended);
        this.wake();
      });
    this.running.add(ended);
  }
}
