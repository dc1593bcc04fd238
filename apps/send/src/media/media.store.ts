import { Injectable } from '@nestjs/common';
import type { MediaRecord, RecordUpload, RequestOf } from '@mgw/contracts';
import { Database, type Tx } from '@mgw/postgres';
import { SendConfig } from '../send.config';

/** Lifetime of a customer's and of an uploaded file at the platform (platform §4.4, §5). */
export const RECEIVED_DAYS = 7;
export const UPLOADED_DAYS = 30;

@Injectable()
export class MediaStore {
  constructor(
    private readonly db: Database,
    private readonly config: SendConfig,
  ) {}

  /** The file with this id, if the business received or uploaded it. */
  find(businessId: number, mediaId: string): Promise<MediaRecord | null> {
    return this.query(this.db.reads(businessId), businessId, mediaId);
  }

  /** Whether the business may send this file: it is its own, and the platform still has it. */
  async mayBeSent(businessId: number, mediaId: string): Promise<boolean> {
    const media = await this.query(this.db, businessId, mediaId);
    return media !== null && Date.parse(media.expires_at) > Date.now();
  }

  /** @returns when the platform deletes the file */
  async recordUpload({ business_id, media_id, mime_type, file_size, filename }: RequestOf<typeof RecordUpload>): Promise<Date> {
    const [row] = await this.db.query<{ expires_at: Date }>(
      `WITH upload AS (
         INSERT INTO send.uploads (business_id, media_id, mime_type, file_size, filename) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (business_id, media_id) DO UPDATE SET uploaded_at = now()
         RETURNING uploaded_at + make_interval(days => ${UPLOADED_DAYS}) AS expires_at
       ), kept AS (
         INSERT INTO send.stored_files (business_id, media_id, last_used_at) SELECT $1, $2, expires_at FROM upload ON CONFLICT DO NOTHING
       )
       SELECT expires_at FROM upload`,
      [business_id, media_id, mime_type, file_size, filename],
    );
    return (row as { expires_at: Date }).expires_at;
  }

  private async query(db: Pick<Tx, 'query'>, businessId: number, mediaId: string): Promise<MediaRecord | null> {
    const [row] = await db.query<Row>(
      `SELECT f.filename, f.expires_at, s.mime_type, s.file_size, s.sha256, s.last_used_at + make_interval(days => $3) AS kept_until FROM (
         (SELECT details->>'filename' AS filename, sent_at + make_interval(days => ${RECEIVED_DAYS}) AS expires_at
          FROM send.inbound_messages WHERE business_id = $1 AND media_id = $2 ORDER BY sent_at DESC LIMIT 1)
         UNION ALL
         SELECT filename, uploaded_at + make_interval(days => ${UPLOADED_DAYS}) FROM send.uploads WHERE business_id = $1 AND media_id = $2
       ) f LEFT JOIN send.stored_files s ON s.business_id = $1 AND s.media_id = $2 AND s.state = 'stored'`,
      [businessId, mediaId, this.config.messagesDays],
    );
    if (!row) return null;
    const { filename, expires_at, mime_type, file_size, sha256, kept_until } = row;
    const file = { media_id: mediaId, filename, expires_at: expires_at.toISOString() };
    if (sha256 === null) return file;
    return { ...file, stored: { mime_type, file_size: Number(file_size), sha256, kept_until: kept_until.toISOString() } };
  }
}

interface Row {
  filename: string | null;
  expires_at: Date;
  mime_type: string;
  file_size: string;
  /** Null unless the file is stored. */
  sha256: string | null;
  kept_until: Date;
}
