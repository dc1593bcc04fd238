import { Type, type Static } from '@sinclair/typebox';
import { Id, IsoTime, Nullable } from '@mgw/contracts';
import { AUDIT_ACTIONS } from '../audit/audit-actions';
import { FAILED_LOGIN, FORGOTTEN, type AuditRow } from '../audit/audit.store';

const AuditRecord = Type.Object({
  id: Id,
  at: IsoTime,
  user: Nullable(
    Type.Object(
      { id: Id, name: Type.String(), email: Type.String() },
      {
        description:
          'The person as they were then. Null for an API key, which `detail.api_key_id` names, for the command line, and for a failed login of an unknown account.',
      },
    ),
  ),
  action: Type.Union(AUDIT_ACTIONS.map((action) => Type.Literal(action))),
  target: Nullable(Type.String({ description: 'The changed resource as `<kind>:<id>`.' })),
  ip: Nullable(
    Type.String({
      description:
        'The address of the caller. Null for the command line. Only operators see it, and `detail.network`, of a request for a link by mail and of a login with a wrong password, because a person may have an account at several businesses.',
    }),
  ),
  request_id: Nullable(Type.String({ description: 'The `X-Request-Id` of the request.' })),
  detail: Type.Record(Type.String(), Type.Unknown(), { description: 'New values, never a secret.' }),
});
export type AuditRecord = Static<typeof AuditRecord>;

export const AuditLogResponse = Type.Object(
  { entries: Type.Array(AuditRecord), next_cursor: Nullable(Type.String()) },
  { title: 'AuditLog' },
);

export type AuditReader = 'operator' | 'business';

export function auditRecord(row: AuditRow, reader: AuditReader): AuditRecord {
  const { user_id, user_name, user_email, action, target, ip, request_id, detail } = row;
  const user = user_id === null ? null : { id: user_id, name: user_name ?? '', email: user_email ?? '' };
  const record = { id: Number(row.id), at: row.at.toISOString(), user, action, target, ip, request_id, detail };
  if (reader === 'operator' || !isForAnyAccount(row)) return record;
  const shown = Object.entries(detail).filter(([name]) => name !== 'network');
  return { ...record, ip: null, detail: Object.fromEntries(shown) };
}

/** Whether the caller may have meant an account at another business (decision 254). A wrong code follows the right password of this one. */
const isForAnyAccount = ({ action, detail }: AuditRow): boolean =>
  action === FORGOTTEN || (action === FAILED_LOGIN && !('second_step' in detail));
