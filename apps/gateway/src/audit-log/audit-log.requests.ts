import { IsIn, IsOptional, Matches } from 'class-validator';
import { AUDIT_ACTIONS, type AuditAction } from '../audit/audit-actions';
import { PageQuery } from '../requests/page';
import { IsDayOrTime } from '../requests/zoned-datetime';

const ID = /^[1-9]\d{0,14}$/;

export class AuditQuery extends PageQuery {
  @IsOptional()
  @Matches(ID, { message: 'user_id must be a whole number' })
  user_id?: string;

  @IsOptional()
  @IsIn(AUDIT_ACTIONS, { message: 'action must be one that an entry has, such as api-key.created' })
  action?: AuditAction;

  /** A day or a time with its zone; included. */
  @IsOptional()
  @IsDayOrTime()
  from?: string;

  /** A day or a time with its zone; included. */
  @IsOptional()
  @IsDayOrTime()
  to?: string;

  /** `csv` downloads all entries that match, without pages. */
  @IsOptional()
  @IsIn(['json', 'csv'], { message: 'format must be json or csv' })
  format?: 'json' | 'csv';
}

export class OperatorAuditQuery extends AuditQuery {
  @IsOptional()
  @Matches(ID, { message: 'business_id must be a whole number' })
  business_id?: string;
}
