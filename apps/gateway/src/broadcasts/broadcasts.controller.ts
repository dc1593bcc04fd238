import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  CancelBroadcast,
  CheckBroadcast,
  CheckRetry,
  CreateBroadcast,
  PauseBroadcast,
  ResumeBroadcast,
  RetryBroadcast,
  type ErrorCode,
} from '@mgw/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { markReplayed } from '../requests/idempotency';
import { IdPipe } from '../requests/id.pipe';
import { PageQuery } from '../requests/page';
import { Done, Made } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { CheckBroadcastRequest, CreateBroadcastRequest, RecipientsDownloadQuery } from './broadcasts.requests';
import { BroadcastResponse, BroadcastsResponse, CheckResponse, RecipientsResponse, RetryCheckResponse } from './broadcasts.responses';
import { BroadcastsService } from './broadcasts.service';

/** A person's broadcast has no API key and so no daily cap. */
const withoutCap = <C extends ErrorCode>(errors: readonly C[]) => errors.filter((code) => code !== 'DAILY_LIMIT_REACHED');

/** Broadcasts: one template to many recipients (spec §10). */
@Controller('api/client/broadcasts')
@NeedsSession()
export class BroadcastsController {
  constructor(private readonly broadcasts: BroadcastsService) {}

  @Get()
  @Responds(BroadcastsResponse, 'List broadcasts with their progress, the newest first')
  list(@CurrentUser() { business_id }: BusinessUser, @Query() query: PageQuery) {
    return this.broadcasts.list(business_id, query);
  }

  @Post()
  @Responds(Made, 'Create and start a broadcast', { errors: withoutCap(CreateBroadcast.errors), repeatable: true })
  async create(
    @CurrentUser() user: BusinessUser,
    @Body() request: CreateBroadcastRequest,
    @Req() { id: requestId, headers }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const context = { requestId, idempotencyKey: headers['idempotency-key'] };
    const { replayed, ...made } = await this.broadcasts.create(user, request, context);
    markReplayed(reply, replayed);
    return made;
  }

  @Post('check')
  @Responds(CheckResponse, 'Check every row of a broadcast without sending anything', { errors: withoutCap(CheckBroadcast.errors) })
  check(@CurrentUser() { business_id }: BusinessUser, @Body() request: CheckBroadcastRequest) {
    return this.broadcasts.check(business_id, request);
  }

  @Get(':id')
  @Responds(BroadcastResponse, 'Show the progress of a broadcast')
  show(@CurrentUser() { business_id }: BusinessUser, @Param('id', IdPipe) id: number) {
    return this.broadcasts.get(business_id, id);
  }

  @Get(':id/recipients')
  @Responds(RecipientsResponse, 'List the recipients of a broadcast with the state of each, as JSON or CSV', { csv: true })
  recipients(@CurrentUser() { business_id }: BusinessUser, @Param('id', IdPipe) id: number, @Query() query: RecipientsDownloadQuery) {
    return query.format === 'csv' ? this.broadcasts.download(business_id, id, query) : this.broadcasts.recipients(business_id, id, query);
  }

  @Get(':id/retry')
  @Responds(RetryCheckResponse, 'Show whom a retry of a broadcast would write to, its cost and the daily limit, without sending anything', {
    errors: CheckRetry.errors,
  })
  checkRetry(@CurrentUser() { business_id }: BusinessUser, @Param('id', IdPipe) id: number) {
    return this.broadcasts.checkRetry(business_id, id);
  }

  @Post(':id/retry')
  @Responds(Made, 'Create and start a broadcast to the recipients of an ended one who definitely failed', {
    errors: ['VALIDATION_FAILED', ...RetryBroadcast.errors],
    repeatable: true,
  })
  async retry(
    @CurrentUser() user: BusinessUser,
    @Param('id', IdPipe) id: number,
    @Req() { id: requestId, headers }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const context = { requestId, idempotencyKey: headers['idempotency-key'] };
    const { replayed, ...made } = await this.broadcasts.retry(user, id, context);
    markReplayed(reply, replayed);
    return made;
  }

  @Post(':id/cancel')
  @Responds(Done, 'Cancel a broadcast; sends in progress finish', { errors: CancelBroadcast.errors })
  cancel(@CurrentUser() user: BusinessUser, @Param('id', IdPipe) id: number) {
    return this.broadcasts.change(user, 'cancelled', id);
  }

  @Post(':id/pause')
  @Responds(Done, 'Pause a broadcast; sends in progress finish, and no other starts until it is resumed', {
    errors: PauseBroadcast.errors,
  })
  pause(@CurrentUser() user: BusinessUser, @Param('id', IdPipe) id: number) {
    return this.broadcasts.change(user, 'paused', id);
  }

  @Post(':id/resume')
  @Responds(Done, 'Resume a paused broadcast', { errors: ResumeBroadcast.errors })
  resume(@CurrentUser() user: BusinessUser, @Param('id', IdPipe) id: number) {
    return this.broadcasts.change(user, 'resumed', id);
  }
}
