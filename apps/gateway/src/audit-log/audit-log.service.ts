import { Injectable } from '@nestjs/common';
import { AuditStore } from '../audit/audit.store';
import { pageOf } from '../requests/page';
import { Downloads } from '../responses/downloads';
import { CSV_COLUMNS, csvCells } from './audit-csv';
import type { AuditQuery } from './audit-log.requests';
import { auditRecord, type AuditReader } from './audit-log.responses';

/** Entries that a download holds in memory at a time. */
const CSV_PAGE = 25;

@Injectable()
export class AuditLogService {
  constructor(
    private readonly audit: AuditStore,
    private readonly downloads: Downloads,
  ) {}

  /**
   * @param business_id null for all businesses
   * @param timezone of the filter's days
   * @throws GatewayError RATE_LIMITED
   */
  async read(reader: AuditReader, query: AuditQuery, business_id: number | null, timezone: string) {
    const { user_id, action = null, from = null, to = null } = query;
    const filter = { business_id, user_id: user_id === undefined ? null : Number(user_id), action, from, to, timezone };
    if (query.format === 'csv')
      return this.downloads.csv(String(business_id), 'audit.csv', CSV_COLUMNS, async (cursor) => {
        const { page, next_cursor } = await this.audit.list(filter, { limit: CSV_PAGE, cursor });
        return { rows: page.map((row) => csvCells(auditRecord(row, reader))), next_cursor };
      });
    const { page, next_cursor } = await this.audit.list(filter, pageOf(query));
    return { entries: page.map((row) => auditRecord(row, reader)), next_cursor };
  }
}
