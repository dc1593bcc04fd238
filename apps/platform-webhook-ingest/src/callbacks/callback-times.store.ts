import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@mgw/postgres';
import { LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';

/** Every callback passes here, so a process writes a time at most this often, in milliseconds. */
const RECORD_EVERY_MS = 60_000;
const MAX_RECENT = 20_000;

/** Stores when WhatsApp last reached the gateway for each business. */
@Injectable()
export class CallbackTimesStore {
  private readonly recordedAt = new Map<string, number>();

  constructor(
    private readonly db: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Returns at once: the platform does not wait for it. */
  record(kind: 'callback' | 'handshake', businessId: number): void {
    const key = `${kind} ${businessId}`;
    const now = performance.now();
    if (now - (this.recordedAt.get(key) ?? -Infinity) < RECORD_EVERY_MS) return;
    if (this.recordedAt.size >= MAX_RECENT) this.recordedAt.clear();
    this.recordedAt.set(key, now);
    const sql = `INSERT INTO ingest.callback_times (business_id, ${kind}_at) VALUES ($1, now())
       ON CONFLICT (business_id) DO UPDATE SET ${kind}_at = now()`;
    this.db.query(sql, [businessId]).catch((error: unknown) => {
      this.recordedAt.delete(key);
      this.logger.warn({ err: error, business_id: businessId }, 'recording the time of a callback failed');
    });
  }

  async find(businessId: number): Promise<{ callback_at: string | null; handshake_at: string | null }> {
    const [row] = await this.db.query<{ callback_at: Date | null; handshake_at: Date | null }>(
      'SELECT callback_at, handshake_at FROM ingest.callback_times WHERE business_id = $1',
      [businessId],
    );
    return { callback_at: row?.callback_at?.toISOString() ?? null, handshake_at: row?.handshake_at?.toISOString() ?? null };
  }
}
