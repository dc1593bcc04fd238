import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  CheckConnection,
  GetCallbackTimes,
  GetConnection,
  notConnected,
  SetConnection,
  SubscribeToAccount,
  type Connection,
  type RequestOf,
} from '@mgw/contracts';
import type { PhoneNumberTarget } from '@mgw/platform-api';
import { RpcClient } from '@mgw/rpc';
import { Sealer } from '@mgw/sealing';
import { AuditStore } from '../audit/audit.store';
import { queryOptional } from '../requests/optional-query';
import { withoutNulls } from '../requests/without-nulls';
import type { BusinessUser } from '../sessions/session-user';
import type { SetConnectionRequest } from './connection.requests';
import type { ConnectionChecksResponse, ConnectionView } from './connection.responses';
import { receivedCheck } from './received-check';

const SECRETS = ['access_token', 'app_secret', 'verify_token'] as const;

const NO_NUMBER = { display_phone_number: null, verified_name: null, quality_rating: null, messaging_limit: null, throughput: null };

interface TransferTarget extends PhoneNumberTarget {
  /** Changes whenever another number, or a token, even the same one, is saved. */
  version: string;
}

/** A connection as operators see it. */
export function withoutSecrets(connection: Connection | null): Omit<ConnectionView, 'verify_token'> {
  if (connection === null)
    return { phone_number_id: null, business_account_id: null, status: 'not_connected', checked_at: null, problem: null, ...NO_NUMBER };
  const { phone_number_id, business_account_id, status, checked_at, problem, number } = connection;
  return { phone_number_id, business_account_id, status, checked_at, problem, ...(number ?? NO_NUMBER) };
}

/** The template service stores the connection. Secrets leave the gateway sealed for their column; only a transfer of a file opens the token. */
@Injectable()
export class ConnectionService {
  constructor(
    private readonly rpc: RpcClient,
    private readonly sealer: Sealer,
    private readonly audit: AuditStore,
  ) {}

  async view(business_id: number): Promise<ConnectionView> {
    const { connection } = await this.rpc.call(GetConnection, { business_id });
    const verify_token = connection && this.sealer.openOrNull(connection.verify_token_sealed, `connection.verify_token:${business_id}`);
    return { ...withoutSecrets(connection), verify_token };
  }

  async set({ user_id, business_id }: BusinessUser, request: SetConnectionRequest): Promise<void> {
    const { phone_number_id, business_account_id } = request;
    const sealed = this.sealSecrets(business_id, request);
    const detail = { phone_number_id, business_account_id, secrets: SECRETS.filter((name) => `${name}_sealed` in sealed) };
    await this.audit.record({ user_id, business_id, action: 'connection.set', target: null, detail }, () =>
      this.rpc.call(SetConnection, { business_id, phone_number_id, business_account_id, ...sealed }),
    );
  }

  /** The platform's view of the connection, and what has arrived from it. */
  async checks(business_id: number, callback_url: string): Promise<ConnectionChecksResponse> {
    const [{ checks }, times] = await Promise.all([
      this.rpc.call(CheckConnection, { business_id, callback_url }),
      queryOptional(this.rpc, GetCallbackTimes, { business_id }),
    ]);
    return { checked_at: new Date().toISOString(), checks: [...checks, receivedCheck(times)] };
  }

  async subscribe({ user_id, business_id }: BusinessUser): Promise<void> {
    await this.audit.record({ user_id, business_id, action: 'connection.subscribed', target: null, detail: {} }, () =>
      this.rpc.call(SubscribeToAccount, { business_id }),
    );
  }

  /** Null if the template service does not respond in time, so that `me` does not fail with it. */
  async isConnected(business_id: number): Promise<boolean | null> {
    const response = await queryOptional(this.rpc, GetConnection, { business_id });
    return response && response.connection?.status === 'connected';
  }

  /** The number and the token for one transfer of a file (decision 340). @throws GatewayError NOT_CONNECTED */
  async target(business_id: number, requestId: string): Promise<TransferTarget> {
    const { connection } = await this.rpc.call(GetConnection, { business_id }, { requestId });
    if (!connection || connection.status === 'problem') throw notConnected();
    const { phone_number_id: phoneNumberId, access_token_sealed } = connection;
    const accessToken = this.sealer.open(access_token_sealed, `connection.access_token:${business_id}`);
    const version = createHash('sha256').update(`${phoneNumberId} ${access_token_sealed}`).digest('base64url');
    return { phoneNumberId, accessToken, version };
  }

  private sealSecrets(business_id: number, request: SetConnectionRequest) {
    const sealed: Partial<Pick<RequestOf<typeof SetConnection>, `${(typeof SECRETS)[number]}_sealed`>> = {};
    const plain = withoutNulls(request);
    for (const name of SECRETS) {
      const secret = plain[name];
      if (secret !== undefined) sealed[`${name}_sealed`] = this.sealer.seal(secret, `connection.${name}:${business_id}`);
    }
    return sealed;
  }
}
