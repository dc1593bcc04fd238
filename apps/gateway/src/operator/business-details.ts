import { Injectable } from '@nestjs/common';
import { GetConnection, ListMessages, ListWebhooks, type Connection, type LoggedMessage, type WebhookRecord } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { ApiKeysService } from '../api-keys/api-keys.service';
import { BusinessesStore } from '../businesses/businesses.store';
import { withoutSecrets } from '../connection/connection.service';
import { queryOptional } from '../requests/optional-query';
import { UsersService } from '../users/users.service';
import { businessRecord, type BusinessDetail, type Problem } from './businesses.responses';

const FAILED_MESSAGES = 10;

/** Shows one business to operators; a part is null while its service does not respond. */
@Injectable()
export class BusinessDetails {
  constructor(
    private readonly businesses: BusinessesStore,
    private readonly users: UsersService,
    private readonly keys: ApiKeysService,
    private readonly rpc: RpcClient,
  ) {}

  /** @throws GatewayError NOT_FOUND */
  async show(business_id: number): Promise<BusinessDetail> {
    const business = await this.businesses.get(business_id);
    const failed = { business_id, limit: FAILED_MESSAGES, cursor: null, status: 'failed', phone: null, search: null } as const;
    const [users, api_keys, connected, hooks, log] = await Promise.all([
      this.users.listByBusiness(business_id),
      this.keys.list(business_id),
      queryOptional(this.rpc, GetConnection, { business_id }),
      queryOptional(this.rpc, ListWebhooks, { business_id }),
      queryOptional(this.rpc, ListMessages, failed),
    ]);
    const webhooks = hooks && hooks.webhooks;
    return {
      business: businessRecord(business),
      connection: connected && withoutSecrets(connected.connection),
      users,
      api_keys: api_keys.map(({ business_id: _, ...key }) => key),
      webhooks,
      problems: problemsOf(connected?.connection ?? null, webhooks ?? [], log?.messages ?? []),
    };
  }
}

function problemsOf(connection: Connection | null, webhooks: WebhookRecord[], failed: LoggedMessage[]): Problem[] {
  const problems: Problem[] = [
    ...(connection?.problem ? [{ at: connection.checked_at, kind: 'connection' as const, text: connection.problem }] : []),
    ...webhooks
      .filter(({ fail_count }) => fail_count > 0)
      .map(({ last_triggered_at, name, fail_count }) => ({
        at: last_triggered_at,
        kind: 'webhook' as const,
        text: `${name}: ${fail_count} failed deliveries in a row`,
      })),
    ...failed.map(({ sent_at, failure_reason }) => ({ at: sent_at, kind: 'message' as const, text: failure_reason ?? 'failed' })),
  ];
  return problems.sort((a, b) => (b.at ?? '').localeCompare(a.at ?? ''));
}
