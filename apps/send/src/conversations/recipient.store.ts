import { Inject, Injectable } from '@nestjs/common';
import { Batcher } from '@mgw/batching';
import { Database } from '@mgw/postgres';
import type { SuppressionState } from '../suppression/suppression';

/** What decides whether a person may be written to now. */
export interface Recipient {
  /** Null when nobody by that name is known yet. */
  conversationId: number | null;
  lastInboundAt: Date | null;
  /** Spec §3.2, by the database's clock. */
  windowOpen: boolean;
  suppression: SuppressionState | null;
  /** The business lets one-time passwords through to people who have opted out (product decision 18). */
  otpToOptedOut: boolean;
}

interface Question {
  businessId: number;
  alias: string;
}

/** Looked up for every send, so asked in batches: one round trip for all sends of one turn of the event loop. */
@Injectable()
export class RecipientStore {
  private readonly batches: Batcher<Question, Recipient>;

  constructor(@Inject(Database) private readonly db: Database) {
    this.batches = new Batcher({ run: (questions) => this.findAll(questions) });
  }

  find(businessId: number, alias: string): Promise<Recipient> {
    return this.batches.add({ businessId, alias });
  }

  /** @param now instead of the database's clock, for tests of the window's edge. */
  async findAll(questions: Question[], now: Date | null = null): Promise<Recipient[]> {
    // Open while now < last_inbound_at + 24 h (product decision 37), unless the platform denied that very window (131047).
    // Of several suppressions the strictest counts (product decision 18).
    const rows = await this.db.query<{
      id: string | null;
      last_inbound_at: Date | null;
      is_open: boolean;
      suppression: SuppressionState | null;
      otp_to_opted_out: boolean;
    }>(
      `SELECT c.id, c.last_inbound_at,
              coalesce(coalesce($3::timestamptz, clock_timestamp()) < c.last_inbound_at + interval '24 hours'
                       AND c.last_inbound_at IS DISTINCT FROM c.window_denied_for, false) AS is_open,
              (SELECT s.state FROM send.suppressions s WHERE s.conversation_id = c.id AND s.state IS NOT NULL
               ORDER BY array_position(ARRAY['blocked', 'opted_out', 'opted_out_marketing'], s.state) LIMIT 1) AS suppression,
              coalesce(settings.otp_to_opted_out, false) AS otp_to_opted_out
       FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS q(business, alias, nth)
       LEFT JOIN send.conversation_aliases a ON a.business_id = q.business AND a.alias = q.alias
       LEFT JOIN send.conversations c ON c.id = a.conversation_id
       LEFT JOIN send.settings ON settings.business_id = q.business
       ORDER BY q.nth`,
      [questions.map((q) => q.businessId), questions.map((q) => q.alias), now],
    );
    return rows.map((row) => ({
      conversationId: row.id === null ? null : Number(row.id),
      lastInboundAt: row.last_inbound_at,
      windowOpen: row.is_open,
      suppression: row.suppression,
      otpToOptedOut: row.otp_to_opted_out,
    }));
  }
}
