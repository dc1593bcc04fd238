import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { AuditStore, type AuditEntry } from '../audit/audit.store';
import { IdPipe } from '../requests/id.pipe';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { RecoverRequest } from './recovery.requests';
import { RECOVERED, RECOVERY, RECOVERY_CANCELLED, RecoveryService } from './recovery.service';

const Recovered = Type.Object(RECOVERED, { title: 'Recovered' });
const RecoveryResponse = Type.Object(RECOVERY, { title: 'RecoveryProgress' });
const RecoveryCancelled = Type.Object(RECOVERY_CANCELLED, { title: 'RecoveryCancelled' });

/** Delivers everything again that a webhook lost while its receiver was down. */
@Controller('api/client/webhooks/:id/recover')
@NeedsSession()
export class RecoveryController {
  constructor(
    private readonly recoveries: RecoveryService,
    private readonly audit: AuditStore,
  ) {}

  @Post()
  @Responds(Recovered, 'Redeliver the failed and skipped deliveries of a period in their order', { errors: ['CONFLICT'] })
  recover(@CurrentUser() user: BusinessUser, @Param('id', IdPipe) id: number, @Body() request: RecoverRequest) {
    return this.audit.record(
      entryOf(user, 'webhook.recovered', id),
      () => this.recoveries.begin(user.business_id, id, request),
      ({ queued }) => ({ detail: { since: request.since, queued } }),
    );
  }

  @Get()
  @Responds(RecoveryResponse, 'Follow the last recovery of a webhook')
  progress(@CurrentUser() { business_id }: BusinessUser, @Param('id', IdPipe) id: number) {
    return this.recoveries.get(business_id, id);
  }

  @Delete()
  @Responds(RecoveryCancelled, 'Cancel a recovery; what was not attempted counts as skipped')
  cancel(@CurrentUser() user: BusinessUser, @Param('id', IdPipe) id: number) {
    return this.audit.record(entryOf(user, 'webhook.recovery-cancelled', id), () => this.recoveries.cancel(user.business_id, id));
  }
}

function entryOf({ user_id, business_id }: BusinessUser, action: AuditEntry['action'], id: number): AuditEntry {
  return { user_id, business_id, action, target: `webhook:${id}`, detail: {} };
}
