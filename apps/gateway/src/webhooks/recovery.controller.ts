import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { IdPipe } from '../requests/id.pipe';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { RecoverRequest } from './recovery.requests';
import { Recovered, RecoveryCancelled, RecoveryResponse, RecoveryService } from './recovery.service';

/** Delivers everything again that a webhook lost while its receiver was down. */
@Controller('api/client/webhooks/:id/recover')
@NeedsSession()
export class RecoveryController {
  constructor(private readonly recoveries: RecoveryService) {}

  @Post()
  @Responds(Recovered, 'Redeliver the failed and skipped deliveries of a period in their order', { errors: ['CONFLICT'] })
  recover(@CurrentUser() user: BusinessUser, @Param('id', IdPipe) id: number, @Body() request: RecoverRequest) {
    return this.recoveries.begin(user, id, request);
  }

  @Get()
  @Responds(RecoveryResponse, 'Follow the last recovery of a webhook')
  progress(@CurrentUser() { business_id }: BusinessUser, @Param('id', IdPipe) id: number) {
    return this.recoveries.get(business_id, id);
  }

  @Delete()
  @Responds(RecoveryCancelled, 'Cancel a recovery; what was not attempted counts as skipped')
  cancel(@CurrentUser() user: BusinessUser, @Param('id', IdPipe) id: number) {
    return this.recoveries.cancel(user, id);
  }
}
