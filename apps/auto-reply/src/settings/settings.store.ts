import { Injectable } from '@nestjs/common';
import type { AutoReplySettings, RequestOf, SetAutoReply } from '@mgw/contracts';
import { RefreshedValue } from '@mgw/caching';
import { Database } from '@mgw/postgres';
import { AutoReplyConfig } from '../auto-reply.config';

export interface Settings extends AutoReplySettings {
  api_key_sealed: string | null;
}

/** How long the result of `isAnyEnabled` counts, in milliseconds. */
const ENABLED_FRESH_MS = 500;

/** SQL: the cost of the replies of the business `$2` since midnight in the time zone `$3`, without the reply `$1`. */
export const COUNTED_TODAY = `(SELECT coalesce(sum(r.expected_cost), 0) FROM auto_reply.replies r
  WHERE r.business_id = $2 AND r.id <> $1 AND r.reserved_at >= date_trunc('day', now() AT TIME ZONE $3::text) AT TIME ZONE $3::text)`;

const NONE: Settings = {
  enabled: false,
  instructions: '',
  model: 'gpt-4o-mini',
  base_url: null,
  api_key_sealed: null,
  daily_limit: 200,
  daily_cost_limit: null,
  quiet_when_agent_active_minutes: 30,
  show_typing: false,
};

@Injectable()
export class SettingsStore {
  private readonly anyEnabled = new RefreshedValue<boolean>({
    load: async () => (await this.db.query('SELECT FROM auto_reply.settings WHERE enabled LIMIT 1')).length > 0,
  });

  constructor(
    private readonly db: Database,
    private readonly config: AutoReplyConfig,
  ) {}

  /** Whether any business has auto-reply on. */
  isAnyEnabled(): Promise<boolean> {
    return this.anyEnabled.get(ENABLED_FRESH_MS);
  }

  async forBusiness(businessId: number): Promise<Settings> {
    const [row] = await this.db.query<Settings>(
      `SELECT enabled, instructions, model, base_url, api_key_sealed, daily_limit,
         trim_scale(daily_cost_limit)::text AS daily_cost_limit, quiet_minutes AS quiet_when_agent_active_minutes, show_typing
       FROM auto_reply.settings WHERE business_id = $1`,
      [businessId],
    );
    return row ?? NONE;
  }

  /** The cost that the limit counts. */
  async countedToday(businessId: number, timezone: string): Promise<string> {
    const [row] = await this.db.query<{ counted: string }>(`SELECT trim_scale(${COUNTED_TODAY})::text AS counted`, [
      0,
      businessId,
      timezone,
    ]);
    return row?.counted ?? '0';
  }

  /**
   * Changes only the fields of the request; null removes the address, the key or the cost limit. If the origin changes and the request has no key,
   * removes the stored key, so that it never reaches another host.
   * @returns whether a key was removed because the origin changed
   */
  async set(request: RequestOf<typeof SetAutoReply>): Promise<{ api_key_removed: boolean }> {
    const { business_id, base_url, api_key_sealed } = request;
    const { enabled, instructions, model, daily_limit, daily_cost_limit, quiet_when_agent_active_minutes, show_typing } = request;
    return this.db.transaction(async (tx) => {
      await tx.query('INSERT INTO auto_reply.settings (business_id) VALUES ($1) ON CONFLICT DO NOTHING', [business_id]);
      const [held] = await tx.query<Pick<Settings, 'base_url' | 'api_key_sealed'>>(
        'SELECT base_url, api_key_sealed FROM auto_reply.settings WHERE business_id = $1 FOR UPDATE',
        [business_id],
      );
      const originChanges = base_url !== undefined && this.originOf(base_url) !== this.originOf(held?.base_url ?? null);
      const key = api_key_sealed === undefined && originChanges ? null : api_key_sealed;
      await tx.query(
        `UPDATE auto_reply.settings SET enabled = coalesce($2, enabled), instructions = coalesce($3, instructions), model = coalesce($4, model),
           base_url = CASE WHEN $5 THEN $6 ELSE base_url END, api_key_sealed = CASE WHEN $7 THEN $8 ELSE api_key_sealed END,
           daily_limit = coalesce($9, daily_limit), quiet_minutes = coalesce($10, quiet_minutes),
           show_typing = coalesce($11, show_typing), daily_cost_limit = CASE WHEN $12 THEN $13::numeric ELSE daily_cost_limit END
         WHERE business_id = $1`,
        [
          business_id,
          enabled ?? null,
          instructions ?? null,
          model ?? null,
          base_url !== undefined,
          base_url ?? null,
          key !== undefined,
          key ?? null,
          daily_limit ?? null,
          quiet_when_agent_active_minutes ?? null,
          show_typing ?? null,
          daily_cost_limit !== undefined,
          daily_cost_limit ?? null,
        ],
      );
      return { api_key_removed: api_key_sealed === undefined && originChanges && typeof held?.api_key_sealed === 'string' };
    });
  }

  /** Scheme, host and port of the address; null stands for the deployment's own. */
  private originOf(baseUrl: string | null): string {
    return new URL(baseUrl ?? this.config.baseUrl).origin;
  }
}
