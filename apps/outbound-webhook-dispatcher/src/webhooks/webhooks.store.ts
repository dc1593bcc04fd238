import { Injectable } from '@nestjs/common';
import type { CreateWebhook, RequestOf, UpdateWebhook, WebhookRecord } from '@mgw/contracts';
import { Database } from '@mgw/postgres';

interface WebhookRow {
  id: string;
  name: string;
  url: string;
  events: string[];
  is_active: boolean;
  has_secret: boolean;
  last_triggered_at: Date | null;
  fail_count: number;
  created_at: Date;
}

@Injectable()
export class WebhooksStore {
  constructor(private readonly db: Database) {}

  /** @returns the id; null when the business has as many as allowed */
  async create(request: RequestOf<typeof CreateWebhook>, maxPerBusiness: number): Promise<number | null> {
    const { business_id, name, url, events, secret_sealed } = request;
    return this.db.transaction(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`dispatch.webhooks:${business_id}`]);
      const [row] = await tx.query<{ id: string }>(
        `INSERT INTO dispatch.webhooks (business_id, name, url, events, secret_sealed) SELECT $1, $2, $3, $4, $5
         WHERE (SELECT count(*) FROM dispatch.webhooks WHERE business_id = $1) < $6 RETURNING id`,
        [business_id, name, url, events, secret_sealed, maxPerBusiness],
      );
      return row ? Number(row.id) : null;
    });
  }

  async list(businessId: number): Promise<WebhookRecord[]> {
    const rows = await this.db.reads(businessId).query<WebhookRow>(
      `SELECT id, name, url, events, is_active, secret_sealed IS NOT NULL AS has_secret, last_triggered_at, fail_count, created_at
       FROM dispatch.webhooks WHERE business_id = $1 ORDER BY id`,
      [businessId],
    );
    return rows.map((row) => ({
      ...row,
      id: Number(row.id),
      is_active: row.is_active ? 1 : 0,
      last_triggered_at: row.last_triggered_at?.toISOString() ?? null,
      created_at: row.created_at.toISOString(),
    }));
  }

  /** Changes only the fields of the request (spec §3.3, §4.9). @returns whether the webhook exists */
  async update(request: RequestOf<typeof UpdateWebhook>): Promise<boolean> {
    const { business_id, id, name, url, events, secret_sealed, is_active } = request;
    const rows = await this.db.query(
      `UPDATE dispatch.webhooks SET name = coalesce($3, name), url = coalesce($4, url), events = coalesce($5, events),
         secret_sealed = CASE WHEN $6 THEN $7 ELSE secret_sealed END, is_active = coalesce($8, is_active)
       WHERE business_id = $1 AND id = $2 RETURNING id`,
      [business_id, id, name ?? null, url ?? null, events ?? null, secret_sealed !== undefined, secret_sealed ?? null, is_active ?? null],
    );
    return rows.length > 0;
  }

  /** The lock order of all statements: the webhook, its lanes, its deliveries. @returns whether the webhook existed */
  async delete(businessId: number, id: number): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const [known] = await tx.query('SELECT id FROM dispatch.webhooks WHERE business_id = $1 AND id = $2 FOR UPDATE', [businessId, id]);
      if (!known) return false;
      await tx.query('DELETE FROM dispatch.lanes WHERE webhook_id = $1', [id]);
      await tx.query('DELETE FROM dispatch.webhooks WHERE id = $1', [id]);
      return true;
    });
  }
}
