import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { GetSuppression, LiftSuppression, ListSuppressions, SetSuppression, SuppressionRecord } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { AuditStore, contactTarget, type AuditEntry } from '../audit/audit.store';
import { pageOf, PageQuery } from '../requests/page';
import { PhonePipe } from '../requests/phone.pipe';
import { notFound } from '../requests/refusals';
import { Done } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { SetSuppressionRequest } from './suppressions.requests';

const SuppressionsResponse = Type.Object(ListSuppressions.reply.properties, { title: 'Suppressions' });
const SuppressionResponse = Type.Object({ suppression: SuppressionRecord }, { title: 'Suppression' });

/** Contacts that get no messages, and why (spec §10, decision 18). */
@Controller('api/client/suppressions')
@NeedsSession()
export class SuppressionsController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly audit: AuditStore,
  ) {}

  @Get()
  @Responds(SuppressionsResponse, 'List suppressed contacts, the newest first')
  async list(@CurrentUser() { business_id }: BusinessUser, @Query() query: PageQuery) {
    return this.rpc.call(ListSuppressions, { business_id, ...pageOf(query) });
  }

  @Get(':phone')
  @Responds(SuppressionResponse, 'Show the suppression of a contact', { errors: ['NOT_FOUND', 'VALIDATION_FAILED'] })
  async show(@CurrentUser() { business_id }: BusinessUser, @Param('phone', PhonePipe) phone: string) {
    const { suppression } = await this.rpc.call(GetSuppression, { business_id, phone });
    if (!suppression) throw notFound();
    return { suppression };
  }

  @Put(':phone')
  @Responds(Done, 'Suppress a contact')
  async set(@CurrentUser() user: BusinessUser, @Param('phone', PhonePipe) phone: string, @Body() { state, reason }: SetSuppressionRequest) {
    await this.audit.record(entryOf(user, 'suppression.set', phone, { state }), () =>
      this.rpc.call(SetSuppression, { business_id: user.business_id, phone, state, reason: reason ?? null }),
    );
    return { message: 'Suppressed.' };
  }

  @Delete(':phone')
  @Responds(Done, 'Lift a suppression of any origin', { errors: ['NOT_FOUND', 'VALIDATION_FAILED'] })
  async lift(@CurrentUser() user: BusinessUser, @Param('phone', PhonePipe) phone: string) {
    await this.audit.record(entryOf(user, 'suppression.lifted', phone), () =>
      this.rpc.call(LiftSuppression, { business_id: user.business_id, phone }),
    );
    return { message: 'Suppression lifted.' };
  }
}

function entryOf(
  { user_id, business_id }: BusinessUser,
  action: 'suppression.set' | 'suppression.lifted',
  phone: string,
  detail: Record<string, unknown> = {},
): AuditEntry {
  return { user_id, business_id, action, target: contactTarget(phone), detail };
}
