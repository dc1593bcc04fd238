import { IsIn, Matches } from 'class-validator';
import { IsIdText, Optional } from '../requests/field-rules';
import { KEPT } from './request-log.store';

const DEFAULT_LIMIT = 50;

export class RequestLogQuery {
  @Optional(IsIn(['4xx', '5xx'], { message: 'status must be 4xx or 5xx' }))
  status?: '4xx' | '5xx';

  /** A key, or the first of those that replaced each other. */
  @Optional(IsIdText())
  api_key_id?: string;

  @Optional(Matches(/^([1-9]\d?|1\d\d|200)$/, { message: `limit must be a whole number from 1 to ${KEPT}` }))
  limit?: string;
}

export const filterOf = ({ status, api_key_id, limit }: RequestLogQuery) => ({
  status,
  api_key_id: api_key_id === undefined ? undefined : Number(api_key_id),
  limit: limit === undefined ? DEFAULT_LIMIT : Number(limit),
});
