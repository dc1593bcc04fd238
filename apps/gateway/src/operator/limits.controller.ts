import { Body, Controller, Get, Put } from '@nestjs/common';
import { LimitsChanged } from '@mgw/contracts';
import { Database } from '@mgw/postgres';
import { RpcClient } from '@mgw/rpc';
import { AuditStore } from '../audit/audit.store';
import { LimitsStore } from '../limits/limits.store';
import { Done } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, SessionOf } from '../sessions/roles.guard';
import type { SessionUser } from '../sessions/session-user';
import { SetLimitsRequest } from './limits.requests';
import { LimitsResponse } from './operator.responses';

/** The limit over all keys together (spec §8, §11). */
@Controller('api/admin/limits')
@SessionOf('operator')
export class LimitsController {
  constructor(
    private readonly db: Database,
    private readonly limits: LimitsStore,
    private readonly audit: AuditStore,
    private readonly rpc: RpcClient,
  ) {}

  @Get()
  @Responds(LimitsResponse, 'Show the global limit')
  async show() {
    return { global_per_minute: await this.limits.globalPerMinute() };
  }

  @Put()
  @Responds(Done, 'Set the global limit')
  async set(@CurrentUser() { user_id }: SessionUser, @Body() { global_per_minute }: SetLimitsRequest) {
    await this.db.transaction(async (tx) => {
      await this.limits.setGlobalPerMinute(tx, global_per_minute);
      await this.audit.add({ user_id, business_id: null, action: 'limits.set', target: null, detail: { global_per_minute } }, tx);
    });
    this.rpc.announce(LimitsChanged, {});
    return { message: 'Limits changed.' };
  }
}
