import { IsIn } from 'class-validator';
import { IsIdText, IsNumberText, Optional } from '../requests/field-rules';
import { KEPT } from './request-log.store';

const DEFAULT_LIMIT = 50;

export class RequestLogQuery {
  @Optional(IsIn(['4xx', '5xx'], { message: 'status must be 4xx or 5xx' }))
  status?: '4xx' | '5xx';

  /** A key, or the first of those that replaced each other. */
  @Optional(IsIdText())
  api_key_id?: string;

  @Optional(IsNumberText(1, KEPT))
  limit?: string;
}

export const filterOf = ({ status, api_key_id, limit }: RequestLogQuery) => ({
  status,
  api_key_id: api_key_id === undefined ? undefined : Number(api_key_id),
  limit: limit === undefined ? DEFAULT_LIMIT : Number(limit),
});
