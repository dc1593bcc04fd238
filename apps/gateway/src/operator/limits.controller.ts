import { Body, Controller, Get, Put } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { IsInt, Max, Min } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { LimitsChanged } from '@mgw/contracts';
import { Database } from '@mgw/postgres';
import { RpcClient } from '@mgw/rpc';
import { AuditStore } from '../audit/audit.store';
import { LimitsStore } from '../limits/limits.store';
import { Done } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { SessionUser } from '../sessions/session-user';

@JSONSchema({ example: { global_per_minute: 120 } })
class SetLimitsRequest {
  /** Decision 46. */
  @IsInt()
  @Min(1)
  @Max(100_000)
  global_per_minute!: number;
}

const LimitsResponse = Type.Object({ global_per_minute: Type.Integer() }, { title: 'Limits' });

/** The limit over all keys together (spec §8, §11). */
@Controller('api/admin/limits')
@NeedsSession()
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
