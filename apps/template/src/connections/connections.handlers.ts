import { Controller } from '@nestjs/common';
import {
  CheckConnection,
  ConnectionChanged,
  GetConnection,
  GetConnections,
  ListConnections,
  ReportConnectionProblem,
  SetConnection,
  SubscribeToAccount,
  SuspendBusiness,
  type Connection,
  type ResponseOf,
  type RequestOf,
} from '@mgw/contracts';
import { Handles, RpcClient } from '@mgw/rpc';
import { Sealer } from '@mgw/sealing';
import { SyncService } from '../templates/sync.service';
import { ConnectionChecks } from './connection-checks.service';
import { ConnectionsStore } from './connections.store';
import { ProbeService } from './probe.service';

/** Delay of the probe after a send reports a problem, in seconds; the problem may be short. */
const PROBE_AFTER_REPORT_S = 5;

@Controller()
export class ConnectionsHandlers {
  constructor(
    private readonly connections: ConnectionsStore,
    private readonly probing: ProbeService,
    private readonly checks: ConnectionChecks,
    private readonly syncing: SyncService,
    private readonly sealer: Sealer,
    private readonly rpc: RpcClient,
  ) {}

  @Handles(GetConnection)
  async get({ business_id }: RequestOf<typeof GetConnection>): Promise<ResponseOf<typeof GetConnection>> {
    return { connection: await this.connections.find(business_id) };
  }

  @Handles(GetConnections)
  async getAll({ business_ids }: RequestOf<typeof GetConnections>): Promise<ResponseOf<typeof GetConnections>> {
    return { connections: await this.connections.findAll(business_ids) };
  }

  @Handles(ListConnections)
  async list({ after_business_id }: RequestOf<typeof ListConnections>): Promise<ResponseOf<typeof ListConnections>> {
    return { connections: await this.connections.page(after_business_id) };
  }

  @Handles(SetConnection)
  async set(request: RequestOf<typeof SetConnection>): Promise<ResponseOf<typeof SetConnection>> {
    const connection = await this.save(request);
    await this.syncing.request(request.business_id);
    this.rpc.announce(ConnectionChanged, { business_id: request.business_id });
    this.probing.wake();
    return { connection };
  }

  @Handles(CheckConnection)
  async check({ business_id, callback_url }: RequestOf<typeof CheckConnection>): Promise<ResponseOf<typeof CheckConnection>> {
    return { checks: await this.checks.check(business_id, callback_url) };
  }

  @Handles(SubscribeToAccount)
  async subscribe({ business_id }: RequestOf<typeof SubscribeToAccount>): Promise<ResponseOf<typeof SubscribeToAccount>> {
    await this.checks.subscribe(business_id);
    return {};
  }

  @Handles(SuspendBusiness)
  async suspend({ business_id, suspended }: RequestOf<typeof SuspendBusiness>): Promise<ResponseOf<typeof SuspendBusiness>> {
    await this.connections.setSuspended(business_id, suspended);
    this.rpc.announce(ConnectionChanged, { business_id });
    return {};
  }

  @Handles(ReportConnectionProblem)
  async report(request: RequestOf<typeof ReportConnectionProblem>): Promise<ResponseOf<typeof ReportConnectionProblem>> {
    const { business_id, platform_code, problem } = request;
    const found = {
      status: 'problem',
      problem: `${platform_code}: ${problem}`,
      number: null,
      isNumberVerified: false,
      nextInSeconds: PROBE_AFTER_REPORT_S,
    } as const;
    const changed = await this.connections.recordProbe(business_id, { ...found, claim: null });
    if (changed) this.rpc.announce(ConnectionChanged, { business_id });
    return {};
  }

  /**
   * Keeps the secret before the change, with which WhatsApp may still sign callbacks. Neither a repeated change nor one that replaces a
   * damaged secret pushes it out.
   */
  private save(change: RequestOf<typeof SetConnection>): Promise<Connection> {
    const open = (sealed: string) => this.sealer.openOrNull(sealed, `connection.app_secret:${change.business_id}`);
    return this.connections.save(change, (stored, replacement) => open(stored) !== null && open(stored) !== open(replacement));
  }
}
