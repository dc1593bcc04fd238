import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { HeldAnswers } from '@mgw/caching';
import {
  ConnectionChanged,
  GatewayError,
  GetConnections,
  ReportConnectionProblem,
  type Connection,
  type Restriction,
} from '@mgw/contracts';
import { RpcClient, type RpcContext } from '@mgw/rpc';
import { Sealer } from '@mgw/sealing';
import { ask } from '../ask';

/** What a call to the platform needs. The token lives in memory only. */
export interface OpenConnection {
  phoneNumberId: string;
  accessToken: string;
  restriction: Restriction | null;
}

/** The platform's words for what an account may not do for a while (platform §4.6). */
const KEPT_FROM = { template: 'RESTRICTED_BIZ_INITIATED_MESSAGING', freeForm: 'RESTRICTED_CUSTOMER_INITIATED_MESSAGING' };

/** Fails at once what the platform would refuse. @throws GatewayError NOT_CONNECTED */
export function refuseRestricted({ restriction }: OpenConnection, kind: keyof typeof KEPT_FROM): void {
  if (!restriction?.kinds.includes(KEPT_FROM[kind])) return;
  const what = kind === 'template' ? 'templates' : 'free-form messages';
  // Of several, the end of the last is told.
  const until = restriction.until === null ? '' : ` until ${restriction.until}${restriction.kinds.length > 1 ? ' at the latest' : ''}`;
  throw new GatewayError('NOT_CONNECTED', `The messaging platform keeps this account from sending ${what}${until}.`, {
    hint: 'See the account in Business Manager: it was restricted for breaking a rule of the platform.',
  });
}

@Injectable()
export class ConnectionService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly held = new HeldAnswers<number, OpenConnection | null, RpcContext>({
    ask: async (business_ids, context) => {
      const { connections } = await ask(this.rpc, GetConnections, { business_ids }, context);
      return connections.map((connection) => this.open(connection));
    },
    standsIn: true,
  });
  private stopListening: () => void = () => {};

  constructor(
    @Inject(RpcClient) private readonly rpc: RpcClient,
    @Inject(Sealer) private readonly sealer: Sealer,
  ) {}

  onApplicationBootstrap(): void {
    this.stopListening = this.rpc.listen(ConnectionChanged, ({ business_id }) => this.forget(business_id));
  }

  onApplicationShutdown(): void {
    this.stopListening();
  }

  /** @throws GatewayError NOT_CONNECTED (product decision 19) */
  async of(businessId: number, context: RpcContext): Promise<OpenConnection> {
    const connection = await this.held.get(String(businessId), () => businessId, context);
    if (connection !== null) return connection;
    throw new GatewayError('NOT_CONNECTED', 'The messaging connection of this business is not established.', {
      hint: 'Set the connection up in the dashboard and check it there.',
    });
  }

  /** The template service, which owns connections, marks it and probes it again. */
  async reportProblem(businessId: number, platformCode: number, problem: string): Promise<void> {
    this.forget(businessId);
    await this.rpc.call(ReportConnectionProblem, { business_id: businessId, platform_code: platformCode, problem });
    this.forget(businessId);
  }

  private forget(businessId: number): void {
    this.held.forget((key) => key === String(businessId));
  }

  private open(connection: Connection | null): OpenConnection | null {
    if (connection === null || connection.status === 'problem') return null;
    const accessToken = this.sealer.open(connection.access_token_sealed, `connection.access_token:${connection.business_id}`);
    return { phoneNumberId: connection.phone_number_id, accessToken, restriction: connection.restriction };
  }
}
