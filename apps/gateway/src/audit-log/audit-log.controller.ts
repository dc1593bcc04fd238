import { Controller, Get, Query } from '@nestjs/common';
import { BusinessesStore } from '../businesses/businesses.store';
import { zoneInForce } from '../businesses/zones';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { AuditQuery, OperatorAuditQuery } from './audit-log.requests';
import { AuditLogResponse } from './audit-log.responses';
import { AuditLogService } from './audit-log.service';

/** The changes and logins of a business; operators' changes included. */
@Controller('api/client/audit')
@NeedsSession()
export class AuditLogController {
  constructor(
    private readonly log: AuditLogService,
    private readonly businesses: BusinessesStore,
  ) {}

  @Get()
  @Responds(AuditLogResponse, 'List the changes and logins of the business, the newest first, as JSON or CSV', { csv: true })
  async list(@CurrentUser() { business_id }: BusinessUser, @Query() query: AuditQuery) {
    return this.log.read('business', query, business_id, zoneInForce(await this.businesses.get(business_id)));
  }
}

/** The audit log of one business or of all. */
@Controller('api/admin/audit')
@NeedsSession()
export class OperatorAuditLogController {
  constructor(private readonly log: AuditLogService) {}

  @Get()
  @Responds(AuditLogResponse, 'List the changes and logins of one business or of all, the newest first, as JSON or CSV', { csv: true })
  list(@Query() query: OperatorAuditQuery) {
    return this.log.read('operator', query, query.business_id === undefined ? null : Number(query.business_id), 'UTC');
  }
}
