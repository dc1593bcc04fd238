import { IsIn } from 'class-validator';
import { AUDIT_ACTIONS, type AuditAction } from '../audit/audit-actions';
import { IsIdText, IsListFormat, Optional } from '../requests/field-rules';
import { PageQuery } from '../requests/page';
import { IsDayOrTime } from '../requests/zoned-datetime';

export class AuditQuery extends PageQuery {
  @Optional(IsIdText())
  user_id?: string;

  @Optional(IsIn(AUDIT_ACTIONS, { message: 'action must be one that an entry has, such as api-key.created' }))
  action?: AuditAction;

  /** A day or a time with its zone; included. */
  @Optional(IsDayOrTime())
  from?: string;

  /** A day or a time with its zone; included. */
  @Optional(IsDayOrTime())
  to?: string;

  /** `csv` downloads all entries that match, without pages. */
  @IsListFormat()
  format?: 'json' | 'csv';
}

export class OperatorAuditQuery extends AuditQuery {
  @Optional(IsIdText())
  business_id?: string;
}
