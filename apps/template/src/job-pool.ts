import { BackgroundLoop } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';

interface JobPoolOptions {
  /** Names the jobs in the log. */
  name: string;
  maxConcurrent: number;
  logger: Logger;
}

const POLL_INTERVAL_MS = 2_000;

/** Runs due jobs concurrently. A job that hangs occupies one place and delays no other job. Replicas share the jobs by claiming rows. */
export abstract class JobPool<Job> extends BackgroundLoop {
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly pool: JobPoolOptions) {
    super({ name: `claiming ${pool.name}`, logger: pool.logger, retryMs: POLL_INTERVAL_MS });
  }

  protected abstract claimDue(atMost: number): Promise<Job[]>;
  protected abstract runJob(job: Job): Promise<void>;

  /** Waits for running jobs, whose calls all have deadlines. */
  override async onApplicationShutdown(): Promise<void> {
    await super.onApplicationShutdown();
    await Promise.all(this.running);
  }

  protected async round(): Promise<number> {
    const free = this.pool.maxConcurrent - this.running.size;
    const jobs = free > 0 ? await this.claimDue(free) : [];
    for (const job of jobs) this.start(job);
    return free > 0 && jobs.length === free ? 0 : POLL_INTERVAL_MS;
  }

  private start(job: Job): void {
    const { name, logger } = this.pool;
    const ended = this.runJob(job)
      .catch((error: unknown) => logger.warn({ err: error }, `${name} failed; will retry`))
      .finally(() => {
        this.running.delete(ended);
        this.wake();
      });
    this.running.add(ended);
  }
}
