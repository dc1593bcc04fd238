import { Injectable } from '@nestjs/common';
import type { Sender } from '@mgw/contracts';
import { Database } from '@mgw/postgres';

/** Stores sealed OTPs with their Idempotency-Keys, because a repeated request must return the same code. */
@Injectable()
export class OtpStore {
  constructor(private readonly db: Database) {}

  async save(intentId: string, sealed: string): Promise<void> {
    await this.db.query('UPDATE send.idempotency_keys SET otp_sealed = $2 WHERE intent_id = $1', [intentId, sealed]);
  }

  /** @returns the intent and its sealed code, or null */
  async find({ business_id, api_key_id, idempotency }: Sender): Promise<{ intent_id: string; otp_sealed: string } | null> {
    const [row] = await this.db.query<{ intent_id: string; otp_sealed: string | null }>(
      'SELECT intent_id, otp_sealed FROM send.idempotency_keys WHERE business_id = $1 AND api_key_id = $2 AND key = $3',
      [business_id, api_key_id ?? 0, idempotency?.key ?? ''],
    );
    return row?.otp_sealed ? { intent_id: row.intent_id, otp_sealed: row.otp_sealed } : null;
  }
}
