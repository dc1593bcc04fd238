import { Controller, Get, Query } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { Id, IsoTime } from '@mgw/contracts';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { filterOf, RequestLogQuery } from './request-log.requests';
import { RequestLog } from './request-log.service';
import { KEPT } from './request-log.store';

const FailedRequest = Type.Object({
  at: IsoTime,
  request_id: Type.String({ description: 'The `X-Request-Id` of the response.' }),
  method: Type.String(),
  route: Type.String({ description: 'The path with the names of its parameters, such as `/api/v1/conversations/:phone`.' }),
  status: Type.Integer(),
  error_code: Type.String(),
  fields: Type.Array(Type.String(), { description: 'The faulty fields; those that the endpoint does not know are absent.' }),
  duration_ms: Type.Integer(),
  api_key: Type.Object({ id: Id, name: Type.String({ description: 'The name at the time of the request.' }) }),
  ip: Type.String(),
  count: Type.Integer({
    description: 'Requests in a row that this entry counts: same key, route, status and code. The other members are those of the last one.',
  }),
});

const RequestLogResponse = Type.Object(
  {
    requests: Type.Array(FailedRequest),
    kept: Type.Integer({ description: 'The most entries that are kept of a business, for seven days.' }),
  },
  { title: 'RequestLog' },
);

/** The request log of a business. */
@Controller('api/client/requests')
@NeedsSession()
export class RequestLogController {
  constructor(private readonly log: RequestLog) {}

  @Get()
  @Responds(RequestLogResponse, 'List the requests to the REST API that failed, the newest first')
  async list(@CurrentUser() { business_id }: BusinessUser, @Query() query: RequestLogQuery) {
    return { requests: await this.log.list(business_id, filterOf(query)), kept: KEPT };
  }
}
