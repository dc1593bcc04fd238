import { csvLine } from '../responses/csv-line';
import type { AuditRecord } from './audit-log.responses';

const COLUMNS = ['id', 'at', 'user_id', 'user_name', 'user_email', 'action', 'target', 'ip', 'request_id', 'detail'];

export const csvHeader = (): string => csvLine(COLUMNS);

/** `detail` is JSON. */
export function csvEntry({ id, at, user, action, target, ip, request_id, detail }: AuditRecord): string {
  const person = [user?.id ?? '', user?.name ?? '', user?.email ?? ''];
  return csvLine([id, at, ...person, action, target ?? '', ip ?? '', request_id ?? '', JSON.stringify(detail)]);
}
