import { Injectable } from '@nestjs/common';
import { BusinessChanged, notFound, SuspendBusiness } from '@mgw/contracts';
import { Database } from '@mgw/postgres';
import { RpcClient } from '@mgw/rpc';
import { AuditStore, type Actor } from '../audit/audit.store';
import { invalid } from '../requests/refusals';
import { withoutNulls } from '../requests/without-nulls';
import { idempotencyOf, scopedTo } from '../requests/idempotency';
import type { ChangeBusinessRequest, CreateBusinessRequest } from './businesses.requests';
import { BusinessesStore, type Business } from './businesses.store';

/** Decision 20. */
const DEFAULT_TIMEZONE = 'Asia/Kolkata';

@Injectable()
export class BusinessesService {
  constructor(
    private readonly db: Database,
    private readonly businesses: BusinessesStore,
    private readonly audit: AuditStore,
    private readonly rpc: RpcClient,
  ) {}

  list(search: string | null): Promise<Business[]> {
    return this.businesses.list(search);
  }

  async create({ user_id }: Actor, { name, plan, timezone }: CreateBusinessRequest, idempotencyKey: string | undefined) {
    const fields = { name, plan, timezone: await this.knownTimezone(timezone ?? DEFAULT_TIMEZONE) };
    const idempotency = scopedTo(`user:${user_id}`, idempotencyOf(idempotencyKey, 'create-business', fields));
    return this.db.transaction(async (tx) => {
      const { id, replayed } = await this.businesses.add(tx, fields, idempotency);
      const entry = { user_id, business_id: id, action: 'business.created', target: `business:${id}`, detail: fields } as const;
      if (!replayed) await this.audit.add(entry, tx);
      return { id, replayed };
    });
  }

  async change({ user_id }: Actor, business_id: number, request: ChangeBusinessRequest & { require_totp?: boolean }): Promise<void> {
    const fields = withoutNulls(request);
    if (fields.timezone !== undefined) fields.timezone = await this.knownTimezone(fields.timezone);
    if (fields.suspended !== undefined) {
      await this.businesses.get(business_id);
      await this.rpc.call(SuspendBusiness, { business_id, suspended: fields.suspended });
    }
    await this.db.transaction(async (tx) => {
      if (!(await this.businesses.change(tx, business_id, fields))) throw notFound();
      await this.audit.add({ user_id, business_id, action: 'business.changed', target: `business:${business_id}`, detail: fields }, tx);
    });
    this.rpc.announce(BusinessChanged, { business_id });
  }

  /** PostgreSQL and Node.js both compute a business's midnight, so both must know the zone. */
  private async knownTimezone(name: string): Promise<string> {
    const known = isTimezone(name) ? await this.businesses.timezoneNamed(name) : null;
    if (known === null) throw invalid('timezone', 'must be an IANA time zone such as Asia/Kolkata');
    return known;
  }
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
