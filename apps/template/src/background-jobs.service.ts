import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { MAX_PROBES, ProbeService } from './connections/probe.service';
import { JobPool } from './job-pool';
import { MAX_SYNCS, SyncService } from './templates/sync.service';

/** Runs due probes and syncs. Replicas share the work by claiming rows. */
@Injectable()
export class BackgroundJobs implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly pools: Pick<JobPool<unknown>, 'start' | 'wake' | 'stop'>[];

  constructor(probes: ProbeService, syncs: SyncService, @Inject(LOGGER) logger: Logger) {
    this.pools = [
      new JobPool({ name: 'probes', maxConcurrent: MAX_PROBES, claim: (n) => probes.claimDue(n), run: (due) => probes.probe(due), logger }),
      new JobPool({ name: 'syncs', maxConcurrent: MAX_SYNCS, claim: (n) => syncs.claimDue(n), run: (due) => syncs.sync(due), logger }),
    ];
  }

  onApplicationBootstrap(): void {
    for (const pool of this.pools) pool.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.pools.map((pool) => pool.stop()));
  }

  /** Polls for due jobs at once. */
  wake(): void {
    for (const pool of this.pools) pool.wake();
  }
}
