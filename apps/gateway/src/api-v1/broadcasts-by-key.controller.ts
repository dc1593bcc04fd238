import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { CancelBroadcast, CreateBroadcast, PauseBroadcast, ResumeBroadcast } from '@mgw/contracts';
import { CurrentCaller, CurrentKey, Needs, RestApi, type Caller } from '../access/rest-api';
import { authorOf, type KeyAccess } from '../api-keys/key-access';
import { BroadcastResponse, RecipientsResponse } from '../broadcasts/broadcasts.responses';
import { BroadcastsService } from '../broadcasts/broadcasts.service';
import { isDryRun } from '../requests/field-rules';
import { IdPipe } from '../requests/id.pipe';
import { Done, Made } from '../responses/done';
import { Responds } from '../responses/responds';
import { idempotencyKeyOf, markReplayed, scopedTo } from '../requests/idempotency';
import { withNewZoneReset } from '../sending/sending.service';
import { BroadcastDryRun, byKey } from './api-v1.responses';
import { CreateBroadcastByKeyRequest, ListRecipientsByKeyQuery } from './by-key.requests';

/** No change of a broadcast needs an Idempotency-Key: a repeat has no further effect. */
const repeatable = false;

/** Broadcasts of the business. Each accepted message is charged to the key that created its broadcast (decision 364). */
@Controller('api/v1/broadcasts')
@RestApi()
export class BroadcastsByKeyController {
  constructor(private readonly broadcasts: BroadcastsService) {}

  @Post()
  @Needs('send_template')
  @Responds(Type.Union([byKey(Made), BroadcastDryRun]), 'Send a template to up to 20,000 people', { errors: CreateBroadcast.errors })
  async create(@CurrentCaller() { party, request, reply }: Caller, @Body() body: CreateBroadcastByKeyRequest) {
    const { sends_as, daily_limit, business } = party;
    const charged = { api_key_id: sends_as, daily_limit };
    if (isDryRun(body)) {
      idempotencyKeyOf(request.headers['idempotency-key']);
      const checked = await this.broadcasts.check(business.id, body, charged).catch(withNewZoneReset(party));
      return { success: true as const, dry_run: true as const, ...checked };
    }
    const { replayed, ...made } = await this.broadcasts
      .create(authorOf(party), body, {
        requestId: request.id,
        idempotencyKey: request.headers['idempotency-key'],
        key: { charged, scoped: (idempotency) => scopedTo(`api-key:${sends_as}`, idempotency) },
      })
      .catch(withNewZoneReset(party));
    markReplayed(reply, replayed);
    return { success: true as const, ...made };
  }

  @Get(':id')
  @Needs('send_template')
  @Responds(byKey(BroadcastResponse), 'Show the progress of a broadcast', { errors: ['QUERY_TIMEOUT'] })
  async show(@CurrentKey() { business }: KeyAccess, @Param('id', IdPipe) id: number) {
    return { success: true as const, ...(await this.broadcasts.get(business.id, id)) };
  }

  @Get(':id/recipients')
  @Needs('send_template')
  @Responds(byKey(RecipientsResponse), 'List the recipients of a broadcast with the state of each', { errors: ['QUERY_TIMEOUT'] })
  async recipients(@CurrentKey() { business }: KeyAccess, @Param('id', IdPipe) id: number, @Query() query: ListRecipientsByKeyQuery) {
    return { success: true as const, ...(await this.broadcasts.recipients(business.id, id, query)) };
  }

  @Post(':id/pause')
  @Needs('send_template')
  @Responds(byKey(Done), 'Pause a broadcast; sends in progress finish', { errors: PauseBroadcast.errors, repeatable })
  async pause(@CurrentKey() key: KeyAccess, @Param('id', IdPipe) id: number) {
    return { success: true as const, ...(await this.broadcasts.change(authorOf(key), 'paused', id)) };
  }

  @Post(':id/resume')
  @Needs('send_template')
  @Responds(byKey(Done), 'Resume a paused broadcast', { errors: ResumeBroadcast.errors, repeatable })
  async resume(@CurrentKey() key: KeyAccess, @Param('id', IdPipe) id: number) {
    return { success: true as const, ...(await this.broadcasts.change(authorOf(key), 'resumed', id)) };
  }

  @Post(':id/cancel')
  @Needs('send_template')
  @Responds(byKey(Done), 'Cancel a broadcast; sends in progress finish', { errors: CancelBroadcast.errors, repeatable })
  async cancel(@CurrentKey() key: KeyAccess, @Param('id', IdPipe) id: number) {
    return { success: true as const, ...(await this.broadcasts.change(authorOf(key), 'cancelled', id)) };
  }
}
