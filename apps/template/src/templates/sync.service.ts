import { Inject, Injectable } from '@nestjs/common';
import { TemplatesChanged } from '@mgw/contracts';
import { GraphClient, type GraphTemplate } from '@mgw/platform-api';
import { Database } from '@mgw/postgres';
import { RpcClient } from '@mgw/rpc';
import { Sealer } from '@mgw/sealing';
import { LOGGER } from '@mgw/service';
import { Shares, type Release } from '@mgw/shares';
import type { Logger } from '@mgw/telemetry';
import { ConnectionsStore } from '../connections/connections.store';
import { TemplateConfig } from '../template.config';
import { JobPool } from '../job-pool';
import { SyncsStore } from './syncs.store';
import { TemplateStatusEvents } from './template-status-events.service';
import { TemplatesStore } from './templates.store';

/** Maximum concurrent syncs of a process. An account that hangs occupies one place for the 15 s of a call. */
export const MAX_SYNCS = 16;
/** Memory for template lists, in megabytes of JSON: in total, and the share of one account (guarantees §10, N1). */
const LIST_MEMORY = { places: 48, largest: 1 / 2 };
const MEGABYTE = 1024 * 1024;
const SYNC_TIMEOUT_MS = 60_000;

/** Reads a business's templates from the platform. If a page fails, the sync changes nothing. */
@Injectable()
export class SyncService extends JobPool<number> {
  private readonly memory = new Shares(LIST_MEMORY);

  constructor(
    private readonly db: Database,
    private readonly syncs: SyncsStore,
    private readonly templates: TemplatesStore,
    private readonly statusEvents: TemplateStatusEvents,
    private readonly connections: ConnectionsStore,
    private readonly graph: GraphClient,
    private readonly sealer: Sealer,
    private readonly rpc: RpcClient,
    private readonly config: TemplateConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super({ name: 'template syncs', maxConcurrent: MAX_SYNCS, logger });
  }

  /** Requests a sync and starts it. */
  async request(businessId: number): Promise<void> {
    await this.syncs.request(businessId);
    this.wake();
  }

  protected claimDue(atMost: number): Promise<number[]> {
    return this.syncs.claimDue(atMost, this.config.syncEverySeconds);
  }

  protected async runJob(businessId: number): Promise<void> {
    const held: Release[] = [];
    try {
      await this.read(businessId, held);
    } catch (error) {
      this.logger.error({ err: error, business_id: businessId }, 'reading templates failed');
      await this.syncs.finish(businessId, { problem: 'Something went wrong on our side.' });
    } finally {
      for (const release of held) release();
    }
  }

  /** @param held collects one release per megabyte of the list */
  private async read(businessId: number, held: Release[]): Promise<void> {
    const connection = await this.connections.find(businessId);
    if (!connection) return this.syncs.finish(businessId, { problem: 'The business is not connected.' });
    const accessToken = this.sealer.open(connection.access_token_sealed, `connection.access_token:${businessId}`);
    const target = { businessAccountId: connection.business_account_id, accessToken };
    let calls = 0;
    const mayHold = (bytes: number) => {
      while (held.length * MEGABYTE < bytes) {
        const release = this.memory.tryTake(String(businessId));
        if (release === null) return false;
        held.push(release);
      }
      return true;
    };
    const outcome = await this.graph.listTemplates(target, Date.now() + SYNC_TIMEOUT_MS, { onCall: () => (calls += 1), mayHold });
    if (outcome.kind !== 'ok') {
      const problem = outcome.kind === 'refused' ? outcome.refusal.message : `The platform did not respond: ${outcome.problem}.`;
      return this.syncs.finish(businessId, { problem, calls });
    }
    await this.replaceAll(businessId, outcome.value);
    await this.syncs.finish(businessId, { found: outcome.value.length, calls });
    this.rpc.announce(TemplatesChanged, { business_id: businessId });
  }

  private async replaceAll(businessId: number, templates: GraphTemplate[]): Promise<void> {
    const listed = new Map(templates.map((template) => [`${template.name} ${template.language}`, template.rejected_reason ?? null]));
    await this.db.transaction(async (tx) => {
      await this.templates.lockSync(tx, businessId);
      const write = () => this.templates.replaceAll(tx, businessId, templates);
      await this.statusEvents.apply(tx, businessId, write, ({ name, language }) => listed.get(`${name} ${language}`) ?? null);
    });
    this.statusEvents.wake();
  }
}
