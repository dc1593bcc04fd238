import { Injectable } from '@nestjs/common';
import type { SendSettings } from '@mgw/contracts';
import { Database, type Tx } from '@mgw/postgres';
import { START_WORDS, STOP_WORDS } from '../suppression/opt-words';

export interface SettingsRow {
  stop_words: string[] | null;
  start_words: string[] | null;
  otp_to_opted_out: boolean | null;
  mark_read_on_open: boolean | null;
}

/** A business's settings for opt-out words, OTPs and read receipts, with defaults for those it has not set. */
@Injectable()
export class SettingsStore {
  constructor(private readonly db: Database) {}

  /** @returns settings by business id */
  async forBusinesses(businessIds: number[], tx: Tx = this.db): Promise<Map<number, SendSettings>> {
    const rows = await tx.query<SettingsRow & { business_id: string }>(
      'SELECT business_id, stop_words, start_words, otp_to_opted_out, mark_read_on_open FROM send.settings WHERE business_id = ANY ($1::bigint[])',
      [businessIds],
    );
    const stored = new Map(rows.map((row) => [Number(row.business_id), row]));
    return new Map(businessIds.map((id) => [id, withDefaults(stored.get(id))]));
  }

  async set(businessId: number, settings: Partial<SendSettings>): Promise<void> {
    const { stop_words, start_words, otp_to_opted_out, mark_read_on_open } = settings;
    await this.db.query(
      `INSERT INTO send.settings AS s (business_id, stop_words, start_words, otp_to_opted_out, mark_read_on_open)
       VALUES ($1, $2, $3, coalesce($4, false), coalesce($5, false))
       ON CONFLICT (business_id) DO UPDATE SET stop_words = coalesce($2, s.stop_words), start_words = coalesce($3, s.start_words),
         otp_to_opted_out = coalesce($4, s.otp_to_opted_out), mark_read_on_open = coalesce($5, s.mark_read_on_open)`,
      [businessId, stop_words ?? null, start_words ?? null, otp_to_opted_out ?? null, mark_read_on_open ?? null],
    );
  }
}

/** @param row undefined or with nulls where the business has set nothing */
export function withDefaults(row: Partial<SettingsRow> | undefined): SendSettings {
  return {
    stop_words: row?.stop_words ?? STOP_WORDS,
    start_words: row?.start_words ?? START_WORDS,
    otp_to_opted_out: row?.otp_to_opted_out ?? false,
    mark_read_on_open: row?.mark_read_on_open ?? false,
  };
}
