import { Readable } from 'node:stream';
import { Injectable, StreamableFile } from '@nestjs/common';
import { GatewayError } from '@mgw/contracts';
import { Shares } from '@mgw/shares';
import { AuditStore, type AuditFilter } from '../audit/audit.store';
import { pageOf } from '../requests/page';
import { csvEntry, csvHeader } from './audit-csv';
import type { AuditQuery } from './audit-log.requests';
import { auditRecord } from './audit-log.responses';

/** Entries that a download holds in memory at a time. */
const CSV_PAGE = 25;
/** A reader may stop reading, and then its download holds a page: the bound is for all of them. */
const DOWNLOADS = { places: 8, largest: 2 / 8 };
/** Longest download, in milliseconds. */
const DOWNLOAD_WITHIN_MS = 10 * 60_000;

@Injectable()
export class AuditLogService {
  private readonly downloads = new Shares(DOWNLOADS);

  constructor(private readonly audit: AuditStore) {}

  /**
   * @param timezone of the filter's days
   * @throws GatewayError RATE_LIMITED
   */
  async read(query: AuditQuery, business_id: number | null, timezone: string) {
    const { user_id, action = null, from = null, to = null } = query;
    const filter = { business_id, user_id: user_id === undefined ? null : Number(user_id), action, from, to, timezone };
    if (query.format === 'csv') return this.asDownload(filter);
    const { page, next_cursor } = await this.audit.list(filter, pageOf(query));
    return { entries: page.map(auditRecord), next_cursor };
  }

  /** Typed as the JSON that `read` otherwise returns, because its description has one schema. */
  private asDownload(filter: AuditFilter): never {
    const release = this.downloads.tryTake(String(filter.business_id));
    if (release === null)
      throw new GatewayError('RATE_LIMITED', 'Too many downloads of the audit log are running at once. Try again when one has ended.', {
        retry_after_seconds: 10,
      });
    const signal = AbortSignal.timeout(DOWNLOAD_WITHIN_MS);
    const lines = Readable.from(this.download(filter), { objectMode: false, highWaterMark: 64 * 1024, signal });
    lines.once('close', release);
    return new StreamableFile(lines, { type: 'text/csv; charset=utf-8', disposition: 'attachment; filename="audit.csv"' }) as never;
  }

  /** Reads a page only when the reader has taken the one before. */
  private async *download(filter: AuditFilter): AsyncGenerator<string> {
    yield csvHeader();
    let cursor: string | null = null;
    do {
      const { page, next_cursor } = await this.audit.list(filter, { limit: CSV_PAGE, cursor });
      yield page.map((row) => csvEntry(auditRecord(row))).join('');
      cursor = next_cursor;
    } while (cursor !== null);
  }
}
