import { Injectable } from '@nestjs/common';
import type { MediaRecord } from '@mgw/contracts';
import { Database } from '@mgw/postgres';

/** Lifetime of a customer's file at the platform (platform §4.4). */
const RECEIVED_DAYS = 7;

@Injectable()
export class MediaStore {
  constructor(private readonly db: Database) {}

  /** The file with this id, if the business received it. */
  async find(businessId: number, mediaId: string): Promise<MediaRecord | null> {
    const [row] = await this.db.reads(businessId).query<{ filename: string | null; expires_at: Date }>(
      `SELECT details->>'filename' AS filename, sent_at + make_interval(days => ${RECEIVED_DAYS}) AS expires_at
       FROM send.inbound_messages WHERE business_id = $1 AND media_id = $2 ORDER BY sent_at DESC LIMIT 1`,
      [businessId, mediaId],
    );
    return row ? { media_id: mediaId, filename: row.filename, expires_at: row.expires_at.toISOString() } : null;
  }
}
