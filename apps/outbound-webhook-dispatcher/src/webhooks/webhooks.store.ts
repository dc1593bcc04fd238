import { Injectable } from '@nestjs/common';
import {
  idempotencyMismatch,
  type CreateWebhook,
  type ListFailingWebhooks,
  type ResponseOf,
  type RequestOf,
  type UpdateWebhook,
  type WebhookRecord,
} from '@mgw/contracts';
import { Database, type Tx } from '@mgw/postgres';
import type { Sealer } from '@mgw/sealing';
import { keepWanted } from '../feed/opt-in-events';

/** Webhooks of a business (decision 33). */
export const MAX_WEBHOOKS = 20;

interface WebhookRow {
  id: string;
  name: string;
  url: string;
  events: string[];
  is_active: boolean;
  has_secret: boolean;
  old_secret_until: Date | null;
  /** Null without an ended delivery. */
  last_24_hours: WebhookRecord['last_24_hours'] | null;
  last_triggered_at: Date | null;
  fail_count: number;
  failing_since: Date | null;
  last_response_code: number | null;
  reason: string | null;
  created_at: Date;
}

type Failing = ResponseOf<typeof ListFailingWebhooks>['webhooks'][number];
type FailingRow = Omit<Failing, 'business_id' | 'id' | 'last_triggered_at'> & {
  business_id: string;
  id: string;
  last_triggered_at: Date | null;
};

@Injectable()
export class WebhooksStore {
  constructor(private readonly db: Database) {}

  /**
   * A repeated Idempotency-Key returns the webhook that it created (decision 785).
   * @returns null when the business has as many as allowed
   * @throws GatewayError IDEMPOTENCY_MISMATCH
   */
  async create(request: RequestOf<typeof CreateWebhook>, sealer: Sealer): Promise<ResponseOf<typeof CreateWebhook> | null> {
    const { business_id, name, url, events, secret_sealed, idempotency } = request;
    const context = `webhook.creation:${business_id}`;
    const key = idempotency?.key ?? null;
    const fingerprint = idempotency ? sealer.seal(idempotency.fingerprint, context) : null;
    return this.db.transaction(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`dispatch.webhooks:${business_id}`]);
      const [earlier] = await tx.query<{ id: string; fingerprint: string }>(
        'SELECT id, creation_fingerprint AS fingerprint FROM dispatch.webhooks WHERE business_id = $1 AND creation_key = $2',
        [business_id, key],
      );
      if (earlier && !(fingerprint && sealer.isSame(earlier.fingerprint, fingerprint, context))) throw idempotencyMismatch('webhook');
      if (earlier) return { id: Number(earlier.id), replayed: true };
      const [row] = await tx.query<{ id: string }>(
        `INSERT INTO dispatch.webhooks (business_id, name, url, events, secret_sealed, creation_key, creation_fingerprint)
         SELECT $1, $2, $3, $4, $5, $6, $7 WHERE (SELECT count(*) FROM dispatch.webhooks WHERE business_id = $1) < $8 RETURNING id`,
        [business_id, name, url, events, secret_sealed, key, fingerprint, MAX_WEBHOOKS],
      );
      return row ? { id: Number(row.id) } : null;
    });
  }

  async list(businessId: number): Promise<WebhookRecord[]> {
    const rows = await this.db.reads(businessId).query<WebhookRow>(
      `SELECT w.id, w.name, w.url, w.events, w.is_active, w.secret_sealed IS NOT NULL AS has_secret, o.valid_until AS old_secret_until,
         w.last_triggered_at, w.fail_count, w.failing_since, w.last_failure_code AS last_response_code, w.last_failure_reason AS reason,
         w.created_at,
         (SELECT json_agg(json_build_object('hour', to_char(h.hour AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.000"Z"'),
                                            'succeeded', h.succeeded, 'failed', h.failed) ORDER BY h.hour)
          FROM dispatch.webhook_hours h WHERE h.webhook_id = w.id AND h.hour > now() - interval '24 hours') AS last_24_hours
       FROM dispatch.webhooks w LEFT JOIN dispatch.old_secrets o ON o.webhook_id = w.id AND o.valid_until > now()
       WHERE w.business_id = $1 ORDER BY w.id`,
      [businessId],
    );
    return rows.map(({ old_secret_until, last_24_hours, failing_since, last_response_code, reason, ...row }) => ({
      ...row,
      last_24_hours: last_24_hours ?? [],
      ...(old_secret_until && { old_secret_until: old_secret_until.toISOString() }),
      ...(row.fail_count > 0 && { failing: { since: failing_since?.toISOString() ?? null, last_response_code, reason } }),
      id: Number(row.id),
      is_active: row.is_active ? 1 : 0,
      last_triggered_at: row.last_triggered_at?.toISOString() ?? null,
      created_at: row.created_at.toISOString(),
    }));
  }

  /** The worst first, with the end of the newest delivery. */
  async listFailing(): Promise<ResponseOf<typeof ListFailingWebhooks>['webhooks']> {
    const rows = await this.db.reads('service').query<FailingRow>(
      `SELECT business_id, id, name, url, is_active, fail_count, last_triggered_at, last_failure_code AS last_response_code, last_failure_reason AS reason
       FROM dispatch.webhooks WHERE fail_count > 0 ORDER BY fail_count DESC, id LIMIT 100`,
    );
    return rows.map((row) => ({
      ...row,
      business_id: Number(row.business_id),
      id: Number(row.id),
      last_triggered_at: row.last_triggered_at?.toISOString() ?? null,
    }));
  }

  /** @returns the names that any webhook of each business or readers of its feed want */
  async wanted(businessIds: number[]): Promise<string[][]> {
    const rows = await this.db.query<{ events: string[] }>(
      `SELECT ARRAY (SELECT unnest(w.events) FROM dispatch.webhooks w WHERE w.business_id = n.id
                     UNION SELECT t.event FROM dispatch.feed_types t WHERE t.business_id = n.id AND t.wanted_until > now()) AS events
       FROM unnest($1::bigint[]) WITH ORDINALITY AS n (id, nth) ORDER BY nth`,
      [businessIds],
    );
    return rows.map(({ events }) => events);
  }

  /**
   * Changes only the fields of the request (spec §3.3, §4.9).
   * @param isSameSecret whether two sealed texts hold the same secret
   * @returns whether the webhook exists
   */
  async update(request: RequestOf<typeof UpdateWebhook>, isSameSecret: (one: string, other: string) => boolean): Promise<boolean> {
    const { business_id, id, name, url, events, secret_sealed, keep_old_minutes = 0, is_active } = request;
    return this.db.transaction(async (tx) => {
      // A lock that lets events come meanwhile.
      const [before] = await tx.query<{ secret_sealed: string | null; events: string[] }>(
        'SELECT secret_sealed, events FROM dispatch.webhooks WHERE business_id = $1 AND id = $2 FOR NO KEY UPDATE',
        [business_id, id],
      );
      if (!before) return false;
      await tx.query(
        `UPDATE dispatch.webhooks SET name = coalesce($2, name), url = coalesce($3, url), events = coalesce($4, events),
           secret_sealed = CASE WHEN $5 THEN $6 ELSE secret_sealed END, is_active = coalesce($7, is_active)
         WHERE id = $1`,
        [id, name ?? null, url ?? null, events ?? null, secret_sealed !== undefined, secret_sealed ?? null, is_active ?? null],
      );
      if (events) await keepWanted(tx, business_id, before.events);
      if (secret_sealed === undefined) return true;
      const old = before.secret_sealed;
      if (secret_sealed === null || old === null || keep_old_minutes === 0) await this.endOldSecret(tx, id);
      // A repeated request replaces nothing: the secret before is still the one that receivers may have.
      else if (!isSameSecret(secret_sealed, old)) await this.keepOldSecret(tx, id, old, keep_old_minutes);
      return true;
    });
  }

  private async endOldSecret(tx: Tx, id: number): Promise<void> {
    await tx.query('DELETE FROM dispatch.old_secrets WHERE webhook_id = $1', [id]);
  }

  /** Keeps the replaced secret in place of an earlier one. */
  private async keepOldSecret(tx: Tx, id: number, sealed: string, minutes: number): Promise<void> {
    await tx.query(
      `INSERT INTO dispatch.old_secrets (webhook_id, secret_sealed, valid_until) VALUES ($1, $2, now() + make_interval(mins => $3))
       ON CONFLICT (webhook_id) DO UPDATE SET secret_sealed = excluded.secret_sealed, valid_until = excluded.valid_until`,
      [id, sealed, minutes],
    );
  }

  /**
   * Deletes a webhook and its lanes, so nothing more is delivered. Its deliveries, perhaps millions, are deleted later in batches: new events
   * of the business wait for this lock. The lock order of all statements: the webhook, its lanes, its deliveries.
   * @returns its name; null if there is no such webhook
   * @throws GatewayError RATE_LIMITED
   */
  async delete(businessId: number, id: number): Promise<string | null> {
    return this.db.largeChange(businessId, async (tx) => {
      const [known] = await tx.query<{ name: string; events: string[] }>(
        'SELECT name, events FROM dispatch.webhooks WHERE business_id = $1 AND id = $2 FOR UPDATE',
        [businessId, id],
      );
      if (!known) return null;
      await keepWanted(tx, businessId, known.events);
      await tx.query('DELETE FROM dispatch.lanes WHERE webhook_id = $1', [id]);
      await tx.query('DELETE FROM dispatch.webhooks WHERE id = $1', [id]);
      return known.name;
    });
  }
}
