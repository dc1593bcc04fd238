import { Injectable } from '@nestjs/common';
import {
  GatewayError,
  GetSuppression,
  ImportSuppressions,
  LiftSuppression,
  ListSuppressions,
  SetSuppression,
  type ResponseOf,
  type SuppressionRecord,
} from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { AuditStore, contactTarget, entryBy, type Author } from '../audit/audit.store';
import { pageOf, type PageQuery } from '../requests/page';
import { Downloads } from '../responses/downloads';
import { importedRows, type ImportFault } from './imported-rows';
import type { ImportSuppressionsRequest, SetSuppressionRequest } from './suppressions.requests';

/** Contacts that a download holds in memory at a time. */
const CSV_PAGE = 100;
const CSV_COLUMNS = ['phone', 'state', 'reason', 'since', 'source'];
const cellsOf = ({ phone, state, reason, since, source }: SuppressionRecord) => [phone, state, reason ?? '', since, source];

/** The people of a business who get no messages (decision 18). The send service stores them. */
@Injectable()
export class SuppressionsService {
  constructor(
    private readonly rpc: RpcClient,
    private readonly audit: AuditStore,
    private readonly downloads: Downloads,
  ) {}

  list(business_id: number, query: PageQuery): Promise<ResponseOf<typeof ListSuppressions>> {
    return this.rpc.call(ListSuppressions, { business_id, ...pageOf(query) });
  }

  /** @throws GatewayError RATE_LIMITED */
  download(business_id: number) {
    return this.downloads.csv(String(business_id), 'opted-out-contacts.csv', CSV_COLUMNS, async (cursor) => {
      const { suppressions, next_cursor } = await this.rpc.call(ListSuppressions, { business_id, limit: CSV_PAGE, cursor });
      return { rows: suppressions.map(cellsOf), next_cursor };
    });
  }

  /** @throws GatewayError NOT_FOUND */
  async get(business_id: number, phone: string): Promise<{ suppression: SuppressionRecord }> {
    const { suppression } = await this.rpc.call(GetSuppression, { business_id, phone });
    if (!suppression) throw new GatewayError('NOT_FOUND', 'No suppression exists for this number.');
    return { suppression };
  }

  async set(author: Author, phone: string, { state, reason }: SetSuppressionRequest): Promise<{ message: string }> {
    const suppression = { business_id: author.business_id, phone, state, reason: reason ?? null, source: sourceOf(author) };
    await this.audit.record(entryBy(author, 'suppression.set', contactTarget(phone), { state }), () =>
      this.rpc.call(SetSuppression, suppression),
    );
    return { message: 'Suppressed.' };
  }

  async lift(author: Author, phone: string): Promise<{ message: string }> {
    await this.audit.record(entryBy(author, 'suppression.lifted', contactTarget(phone)), () =>
      this.rpc.call(LiftSuppression, { business_id: author.business_id, phone, source: sourceOf(author) }),
    );
    return { message: 'Suppression lifted.' };
  }

  /** Takes the valid rows; the response names the others. */
  async import(author: Author, { rows }: ImportSuppressionsRequest): Promise<{ added: number; unchanged: number; faults: ImportFault[] }> {
    const { valid, faults } = importedRows(rows);
    if (valid.length === 0) return { added: 0, unchanged: 0, faults };
    const done = await this.audit.record(
      entryBy(author, 'suppressions.imported', null, { rows: valid.length }),
      () => this.rpc.call(ImportSuppressions, { business_id: author.business_id, rows: valid, source: sourceOf(author) }),
      ({ added }) => ({ detail: { rows: valid.length, added } }),
    );
    return { ...done, faults };
  }
}

const sourceOf = ({ api_key_id }: Author): 'dashboard' | 'api' => (api_key_id === undefined ? 'dashboard' : 'api');
