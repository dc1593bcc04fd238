import { Inject, Injectable } from '@nestjs/common';
import { TemplatesChanged } from '@mgw/contracts';
import { GraphClient } from '@mgw/platform-api';
import { RpcClient } from '@mgw/rpc';
import { Sealer } from '@mgw/sealing';
import { LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { ConnectionsStore } from '../connections/connections.store';
import { TemplateConfig } from '../template.config';
import { SyncsStore } from './syncs.store';
import { TemplatesStore } from './templates.store';

const AT_ONCE = 4;
const SYNC_WITHIN_MS = 60_000;

/** Reads a business's templates from the platform: all of them, or none when a page fails. */
@Injectable()
export class SyncService {
  constructor(
    private readonly syncs: SyncsStore,
    private readonly templates: TemplatesStore,
    private readonly connections: ConnectionsStore,
    private readonly graph: GraphClient,
    private readonly sealer: Sealer,
    private readonly rpc: RpcClient,
    private readonly config: TemplateConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @returns how many were due */
  async syncDue(): Promise<number> {
    const due = await this.syncs.takeDue(AT_ONCE, this.config.syncEverySeconds);
    await Promise.all(
      due.map((businessId) =>
        this.sync(businessId).catch((error: unknown) => {
          this.logger.error({ err: error, business_id: businessId }, 'templates could not be read');
          return this.syncs.finish(businessId, { problem: 'Something went wrong on our side.' });
        }),
      ),
    );
    return due.length;
  }

  private async sync(businessId: number): Promise<void> {
    const connection = await this.connections.find(businessId);
    if (!connection) return this.syncs.finish(businessId, { problem: 'The business is not connected.' });
    const accessToken = this.sealer.open(connection.access_token_sealed, `connection.access_token:${businessId}`);
    const target = { businessAccountId: connection.business_account_id, accessToken };
    let calls = 0;
    const outcome = await this.graph.listTemplates(target, Date.now() + SYNC_WITHIN_MS, () => (calls += 1));
    if (outcome.kind !== 'ok') {
      const problem = outcome.kind === 'refused' ? outcome.refusal.message : `The platform did not answer: ${outcome.problem}.`;
      return this.syncs.finish(businessId, { problem, calls });
    }
    await this.templates.replaceAll(businessId, outcome.value);
    await this.syncs.finish(businessId, { found: outcome.value.length, calls });
    this.rpc.announce(TemplatesChanged, { business_id: businessId });
  }
}
