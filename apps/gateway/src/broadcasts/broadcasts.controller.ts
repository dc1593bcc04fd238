import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import {
  CancelBroadcast,
  CheckBroadcast,
  CreateBroadcast,
  GetBroadcast,
  ListBroadcasts,
  ListRecipients,
  PauseBroadcast,
  ResumeBroadcast,
} from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuditStore } from '../audit/audit.store';
import { broadcastDailyLimit, BusinessesStore, type Business } from '../businesses/businesses.store';
import { zoneInForce } from '../businesses/zones';
import { DEFAULT_LANGUAGE } from '../requests/field-rules';
import { IdPipe } from '../requests/id.pipe';
import { pageOf, PageQuery } from '../requests/page';
import { Done, Made } from '../responses/done';
import { Responds } from '../responses/responds';
import { idempotencyOf } from '../sending/idempotency';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { CheckBroadcastRequest, CreateBroadcastRequest, ListRecipientsQuery } from './broadcasts.requests';
import { broadcastRows } from './recipient-rows';

const BroadcastsResponse = Type.Object(ListBroadcasts.reply.properties, { title: 'Broadcasts' });
const BroadcastResponse = Type.Object(
  { ...GetBroadcast.reply.properties.broadcast.properties, failures: GetBroadcast.reply.properties.failures },
  { title: 'Broadcast' },
);
const RecipientsResponse = Type.Object(ListRecipients.reply.properties, { title: 'BroadcastRecipients' });
const CheckResponse = Type.Object(CheckBroadcast.reply.properties, { title: 'BroadcastCheck' });

/** Broadcasts: one template to many recipients (spec §10). */
@Controller('api/client/broadcasts')
@NeedsSession()
export class BroadcastsController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly businesses: BusinessesStore,
    private readonly audit: AuditStore,
  ) {}

  @Get()
  @Responds(BroadcastsResponse, 'List broadcasts with their progress, the newest first')
  list(@CurrentUser() { business_id }: BusinessUser, @Query() query: PageQuery) {
    return this.rpc.call(ListBroadcasts, { business_id, ...pageOf(query) });
  }

  @Post()
  @Responds(Made, 'Create and start a broadcast', { errors: CreateBroadcast.errors, repeatable: true })
  async create(
    @CurrentUser() user: BusinessUser,
    @Body() request: CreateBroadcastRequest,
    @Req() { id: requestId, headers }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { business_id } = user;
    const business = await this.businesses.get(business_id);
    const { name, template_name, scheduled_at } = request;
    const draft = { name, ...(await draftOf(request)) };
    const idempotency = idempotencyOf(headers['idempotency-key'], CreateBroadcast.subject, draft);
    const { plan } = business;
    const detail = { name, template_name, recipients: draft.recipients.length };
    const { id, replayed } = await this.audit.record(
      { user_id: user.user_id, business_id, action: 'broadcast.created', target: null, detail },
      () => this.rpc.call(CreateBroadcast, { ...draft, ...limitOf(business), plan, idempotency }, { requestId }),
      (created) => (created.replayed ? null : { target: `broadcast:${created.id}` }),
    );
    if (replayed) void reply.header('idempotency-replayed', 'true');
    return { id, message: scheduled_at ? 'Broadcast scheduled.' : 'Broadcast started.' };
  }

  @Post('check')
  @Responds(CheckResponse, 'Check every row of a broadcast without sending anything', { errors: CheckBroadcast.errors })
  async check(@CurrentUser() { business_id }: BusinessUser, @Body() request: CheckBroadcastRequest) {
    const business = await this.businesses.get(business_id);
    return this.rpc.call(CheckBroadcast, { ...(await draftOf(request)), ...limitOf(business) });
  }

  @Get(':id')
  @Responds(BroadcastResponse, 'Show the progress of a broadcast')
  async show(@CurrentUser() { business_id }: BusinessUser, @Param('id', IdPipe) id: number) {
    const { broadcast, failures } = await this.rpc.call(GetBroadcast, { business_id, id });
    return { ...broadcast, failures };
  }

  @Get(':id/recipients')
  @Responds(RecipientsResponse, 'List the recipients of a broadcast with the state of each')
  recipients(@CurrentUser() { business_id }: BusinessUser, @Param('id', IdPipe) id: number, @Query() query: ListRecipientsQuery) {
    return this.rpc.call(ListRecipients, { business_id, id, ...pageOf(query), state: query.state ?? null });
  }

  @Post(':id/cancel')
  @Responds(Done, 'Cancel a broadcast; sends in progress finish', { errors: CancelBroadcast.errors })
  cancel(@CurrentUser() user: BusinessUser, @Param('id', IdPipe) id: number) {
    return this.change(CancelBroadcast, 'cancelled', user, id);
  }

  @Post(':id/pause')
  @Responds(Done, 'Pause a broadcast; sends in progress finish, and no other starts until it is resumed', {
    errors: PauseBroadcast.errors,
  })
  pause(@CurrentUser() user: BusinessUser, @Param('id', IdPipe) id: number) {
    return this.change(PauseBroadcast, 'paused', user, id);
  }

  @Post(':id/resume')
  @Responds(Done, 'Resume a paused broadcast', { errors: ResumeBroadcast.errors })
  resume(@CurrentUser() user: BusinessUser, @Param('id', IdPipe) id: number) {
    return this.change(ResumeBroadcast, 'resumed', user, id);
  }

  private async change(
    operation: typeof CancelBroadcast | typeof PauseBroadcast | typeof ResumeBroadcast,
    done: 'cancelled' | 'paused' | 'resumed',
    { business_id, user_id }: BusinessUser,
    id: number,
  ) {
    await this.audit.record({ user_id, business_id, action: `broadcast.${done}`, target: `broadcast:${id}`, detail: {} }, () =>
      this.rpc.call(operation, { business_id, id }),
    );
    return { message: `Broadcast ${done}.` };
  }
}

async function draftOf(request: CheckBroadcastRequest) {
  const { template_name, language, scheduled_at } = request;
  return {
    template_name,
    language: language ?? DEFAULT_LANGUAGE,
    recipients: await broadcastRows(request),
    scheduled_at: scheduled_at ? new Date(scheduled_at).toISOString() : null,
  };
}

function limitOf(business: Business) {
  return { business_id: business.id, timezone: zoneInForce(business), daily_limit: broadcastDailyLimit(business) };
}
