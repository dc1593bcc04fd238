import { Controller, Get, Param, Query } from '@nestjs/common';
import { FindDeliveries, GetTimeline, ListMessages } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { MessageIdPipe } from '../requests/id.pipe';
import { queryOptional } from '../requests/optional-query';
import { pageOf } from '../requests/page';
import { notFound } from '../requests/refusals';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { ListMessagesQuery, searchedPhone } from './messages.requests';
import { MessageDetailResponse, MessagesResponse } from './messages.responses';

/** The message log with the delivery of each message (spec §10). */
@Controller('api/client/messages')
@NeedsSession()
export class MessagesController {
  constructor(private readonly rpc: RpcClient) {}

  @Get()
  @Responds(MessagesResponse, 'Search the message log, the newest first')
  async list(@CurrentUser() { business_id }: BusinessUser, @Query() query: ListMessagesQuery) {
    const { status = null, q: search = null } = query;
    const { messages, next_cursor } = await this.rpc.call(ListMessages, {
      business_id,
      ...pageOf(query),
      status,
      phone: searchedPhone(query.phone),
      search,
    });
    return { messages, next_cursor };
  }

  /** Ids contain `/` and `=`, so the path takes them raw and percent-encoded (decision 25). */
  @Get('*')
  @Responds(MessageDetailResponse, 'Show one message with its timeline', { errors: ['NOT_FOUND'], wildcard: 'message_id' })
  async show(@CurrentUser() { business_id }: BusinessUser, @Param('*', MessageIdPipe) message_id: string) {
    const { message, timeline } = await this.rpc.call(GetTimeline, { business_id, message_id });
    if (!message) throw notFound();
    const found = await queryOptional(this.rpc, FindDeliveries, { business_id, event_id: `message.sent:${message_id}` });
    return { message, timeline, webhooks: found && found.deliveries };
  }
}
