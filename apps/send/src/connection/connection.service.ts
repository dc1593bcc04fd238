import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ConnectionChanged, GatewayError, GetConnection, ReportConnectionProblem, type Restriction } from '@mgw/contracts';
import { RpcClient, type RpcContext } from '@mgw/rpc';
import { Sealer } from '@mgw/sealing';
import { HeldAnswers } from '../neighbours/held-answers';

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
  const until = restriction.until === null ? '' : ` until ${restriction.until}`;
  throw new GatewayError('NOT_CONNECTED', `The messaging platform keeps this account from sending ${what}${until}.`, {
    hint: 'See the account in Business Manager: it was restricted for breaking a rule of the platform.',
  });
}

@Injectable()
export class ConnectionService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly held = new HeldAnswers<OpenConnection | null>();
  private stopListening: () => void = () => {};

  constructor(
    @Inject(RpcClient) private readonly rpc: RpcClient,
    @Inject(Sealer) private readonly sealer: Sealer,
  ) {}

  onApplicationBootstrap(): void {
    this.stopListening = this.rpc.listen(ConnectionChanged, ({ business_id }) => this.held.forget(business_id));
  }

  onApplicationShutdown(): void {
    this.stopListening();
  }

  /** @throws GatewayError NOT_CONNECTED (product decision 19) */
  async of(businessId: number, context: RpcContext): Promise<OpenConnection> {
    const connection = await this.held.get(businessId, 'connection', () => this.fetch(businessId, context));
    if (connection !== null) return connection;
    throw new GatewayError('NOT_CONNECTED', 'The messaging connection of this business is not established.', {
      hint: 'Set the connection up in the dashboard and check it there.',
    });
  }

  /** The template service, which owns connections, marks it and probes it again. */
  async reportProblem(businessId: number, platformCode: number, problem: string): Promise<void> {
    this.held.forget(businessId);
    await this.rpc.call(ReportConnectionProblem, { business_id: businessId, platform_code: platformCode, problem });
    this.held.forget(businessId);
  }

  private async fetch(businessId: number, context: RpcContext): Promise<OpenConnection | null> {
    const { connection } = await this.rpc.call(GetConnection, { business_id: businessId }, context);
    if (connection === null || connection.status === 'problem') return null;
    const accessToken = this.sealer.open(connection.access_token_sealed, `connection.access_token:${businessId}`);
    return { phoneNumberId: connection.phone_number_id, accessToken, restriction: connection.restriction };
  }
}
