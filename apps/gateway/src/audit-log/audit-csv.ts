import type { AuditRecord } from './audit-log.responses';

export const CSV_COLUMNS = ['id', 'at', 'user_id', 'user_name', 'user_email', 'action', 'target', 'ip', 'request_id', 'detail'];

/** `detail` is JSON. */
export function csvCells({ id, at, user, action, target, ip, request_id, detail }: AuditRecord): (string | number)[] {
  const person = [user?.id ?? '', user?.name ?? '', user?.email ?? ''];
  return [id, at, ...person, action, target ?? '', ip ?? '', request_id ?? '', JSON.stringify(detail)];
}
