import { Readable } from 'node:stream';
import { Injectable, StreamableFile } from '@nestjs/common';
import { AuditStore, type AuditFilter } from '../audit/audit.store';
import { pageOf } from '../requests/page';
import { csvEntry, csvHeader } from './audit-csv';
import type { AuditQuery } from './audit-log.requests';
import { auditRecord } from './audit-log.responses';

/** Entries that a download holds in memory at a time. */
const CSV_PAGE = 200;

@Injectable()
export class AuditLogService {
  constructor(private readonly audit: AuditStore) {}

  /** @param timezone of the filter's days */
  async read(query: AuditQuery, business_id: number | null, timezone: string) {
    const { user_id, action = null, from = null, to = null } = query;
    const filter = { business_id, user_id: user_id === undefined ? null : Number(user_id), action, from, to, timezone };
    const { page, next_cursor } = await this.audit.list(filter, pageOf(query));
    const listed = { entries: page.map(auditRecord), next_cursor };
    return query.format === 'csv' ? asDownload(this.download(filter)) : listed;
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

/** Typed as the JSON that the method otherwise returns, because its description has one schema. */
function asDownload(lines: AsyncGenerator<string>): never {
  const file = new StreamableFile(Readable.from(lines, { objectMode: false, highWaterMark: 64 * 1024 }), {
    type: 'text/csv; charset=utf-8',
    disposition: 'attachment; filename="audit.csv"',
  });
  return file as never;
}
