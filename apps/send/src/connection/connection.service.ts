import { Inject, Injectable } from '@nestjs/common';
import { RefreshingCache } from '@mgw/caching';
import {
  ConnectionChanged,
  GatewayError,
  GetConnections,
  notConnected,
  ReportConnectionProblem,
  type Connection,
  type Restriction,
} from '@mgw/contracts';
import { RpcClient, type RpcContext } from '@mgw/rpc';
import { Sealer } from '@mgw/sealing';
import { requiredCall } from '../required-call';

/** Credentials for calls to the platform. The access token stays in memory only. */
export interface PlatformConnection {
  phoneNumberId: string;
  accessToken: string;
  restriction: Restriction | null;
  suspended: boolean;
}

/** Caches the businesses' credentials from the template service. Its announcement invalidates them. */
@Injectable()
export class ConnectionService {
  private readonly cache = new RefreshingCache<number, PlatformConnection | null, RpcContext>({
    load: async (business_ids, context) => {
      const { connections } = await requiredCall(this.rpc, GetConnections, { business_ids }, context);
      return connections.map((connection) => this.unseal(connection));
    },
    serveStaleOnError: true,
  });

  constructor(
    @Inject(RpcClient) private readonly rpc: RpcClient,
    @Inject(Sealer) private readonly sealer: Sealer,
  ) {
    rpc.listen(ConnectionChanged, ({ business_id }) => this.invalidate(business_id));
  }

  /** @throws GatewayError NOT_CONNECTED (decision 19), BUSINESS_SUSPENDED */
  async forBusiness(businessId: number, context: RpcContext): Promise<PlatformConnection> {
    const connection = await this.cache.get(String(businessId), () => businessId, context);
    if (connection?.suspended) throw new GatewayError('BUSINESS_SUSPENDED', 'The operator suspended this business.');
    if (connection !== null) return connection;
    throw notConnected();
  }

  /** Reports a problem to the template service, which owns connections and probes them. */
  async reportProblem(businessId: number, platformCode: number, problem: string): Promise<void> {
    this.invalidate(businessId);
    await this.rpc.call(ReportConnectionProblem, { business_id: businessId, platform_code: platformCode, problem });
    this.invalidate(businessId);
  }

  private invalidate(businessId: number): void {
    this.cache.invalidate((key) => key === String(businessId));
  }

  private unseal(connection: Connection | null): PlatformConnection | null {
    if (connection === null || connection.status === 'problem') return null;
    const accessToken = this.sealer.open(connection.access_token_sealed, `connection.access_token:${connection.business_id}`);
    return {
      phoneNumberId: connection.phone_number_id,
      accessToken,
      restriction: connection.restriction,
      suspended: connection.suspended ?? false,
    };
  }
}
