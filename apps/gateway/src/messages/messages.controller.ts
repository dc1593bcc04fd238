import { Controller, Get, Param, Query } from '@nestjs/common';
import { FindDeliveries, GetTimeline, notFound } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { BusinessesStore } from '../businesses/businesses.store';
import { zoneInForce } from '../businesses/zones';
import { MessageIdPipe } from '../requests/id.pipe';
import { queryOptional } from '../requests/optional-query';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { MessageCountsService } from './message-counts.service';
import { CountMessagesQuery, ListMessagesQuery } from './messages.requests';
import { MessageCountsResponse, MessageDetailResponse, MessagesResponse } from './messages.responses';
import { SentMessages } from './sent-messages.service';

/** The message log with the delivery of each message (spec §10). */
@Controller('api/client/messages')
@NeedsSession()
export class MessagesController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly sent: SentMessages,
    private readonly counts: MessageCountsService,
    private readonly businesses: BusinessesStore,
  ) {}

  @Get()
  @Responds(MessagesResponse, 'Search the message log, the newest first, as JSON or CSV', { csv: true })
  list(@CurrentUser() { business_id }: BusinessUser, @Query() query: ListMessagesQuery) {
    return this.sent.read(business_id, query);
  }

  @Get('counts')
  @Responds(MessageCountsResponse, 'Count messages by time, sender and reason of failure')
  count(@CurrentUser() { business_id }: BusinessUser, @Query() query: CountMessagesQuery) {
    return this.counts.count(business_id, query);
  }

  /** Ids contain `/` and `=`, so the path takes them raw and percent-encoded (decision 25). */
  @Get('*')
  @Responds(MessageDetailResponse, 'Show one message with its timeline', { errors: ['NOT_FOUND'], wildcard: 'message_id' })
  async show(@CurrentUser() { business_id }: BusinessUser, @Param('*', MessageIdPipe) message_id: string) {
    const timezone = zoneInForce(await this.businesses.get(business_id));
    const { message, timeline, cost } = await this.rpc.call(GetTimeline, { business_id, message_id, timezone });
    if (!message) throw notFound();
    const statuses = ['delivered', 'read', 'failed'].map((status) => `message.status:${message_id}:${status}`);
    const event_ids = [`message.sent:${message_id}`, ...statuses];
    const found = await queryOptional(this.rpc, FindDeliveries, { business_id, event_ids });
    return { message, ...(cost && { cost }), timeline, webhooks: found && found.deliveries };
  }
}
