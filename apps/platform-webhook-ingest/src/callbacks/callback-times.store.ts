import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@mgw/postgres';
import { LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';

/** Every callback passes here, so a process writes a time at most this often, in milliseconds. */
const NOTE_EVERY_MS = 60_000;
const MAX_NOTED = 20_000;

/** Stores when WhatsApp last reached the gateway for each business. */
@Injectable()
export class CallbackTimesStore {
  private readonly notedAt = new Map<string, number>();

  constructor(
    private readonly db: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Returns at once: the platform does not wait for it. */
  note(kind: 'callback' | 'handshake', businessId: number): void {
    const key = `${kind} ${businessId}`;
    const now = performance.now();
    if (now - (this.notedAt.get(key) ?? -Infinity) < NOTE_EVERY_MS) return;
    if (this.notedAt.size >= MAX_NOTED) this.notedAt.clear();
    this.notedAt.set(key, now);
    const sql = `INSERT INTO ingest.callback_times (business_id, ${kind}_at) VALUES ($1, now())
       ON CONFLICT (business_id) DO UPDATE SET ${kind}_at = now()`;
    this.db.query(sql, [businessId]).catch((error: unknown) => {
      this.notedAt.delete(key);
      this.logger.warn({ err: error, business_id: businessId }, 'noting the time of a callback failed');
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
