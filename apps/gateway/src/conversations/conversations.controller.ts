import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  FindUnanswered,
  GetMessageStatuses,
  GetThread,
  ListConversations,
  MarkConversationRead,
  SendReaction,
  SendText,
  type RequestOf,
  type ThreadMessage,
} from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiKeysStore } from '../api-keys/api-keys.store';
import { AuditStore } from '../audit/audit.store';
import { BusinessesStore } from '../businesses/businesses.store';
import { IdPipe } from '../requests/id.pipe';
import { queryOptional } from '../requests/optional-query';
import { pageOf, PageQuery } from '../requests/page';
import { Responds } from '../responses/responds';
import { SendResult } from '../sending/sending.responses';
import { SendingService } from '../sending/sending.service';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import { isUnattended } from '../sessions/session.strategy';
import type { BusinessUser } from '../sessions/session-user';
import { UsersStore } from '../users/users.store';
import { ListConversationsQuery, ReactionRequest, ReplyRequest } from './conversations.requests';
import { ConversationsResponse, ThreadResponse } from './conversations.responses';

/** A reply has no API key and so no daily cap. */
const REPLY_ERRORS = SendText.errors.filter((code) => code !== 'DAILY_LIMIT_REACHED');

/** The inbox (spec §10). Window and suppression apply to a reply as to any other text. */
@Controller('api/client/conversations')
@NeedsSession()
export class ConversationsController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly businesses: BusinessesStore,
    private readonly sending: SendingService,
    private readonly audit: AuditStore,
    private readonly users: UsersStore,
    private readonly keys: ApiKeysStore,
  ) {}

  @Get()
  @Responds(ConversationsResponse, 'List conversations, the most recently active first')
  async list(@CurrentUser() { business_id }: BusinessUser, @Query() query: ListConversationsQuery) {
    const page = await this.rpc.call(ListConversations, { business_id, ...pageOf(query), search: query.q ?? null });
    const waiting = page.conversations.filter(({ last_message }) => last_message?.direction === 'in').map(({ id }) => id);
    const unanswered = await this.unanswered(business_id, waiting);
    return { ...page, conversations: page.conversations.map((one) => ({ ...one, needs_agent: unanswered && unanswered.has(one.id) })) };
  }

  @Get(':id/messages')
  @Responds(ThreadResponse, 'Show the messages of a conversation, the newest first')
  async thread(
    @CurrentUser() { business_id }: BusinessUser,
    @Param('id', IdPipe) conversation_id: number,
    @Query() query: PageQuery,
    @Req() request: FastifyRequest,
  ) {
    const { conversation, messages, next_cursor } = await this.rpc.call(GetThread, { business_id, conversation_id, ...pageOf(query) });
    const isOpened = query.cursor === undefined && !isUnattended(request);
    // The page does not wait, and the next refresh tries again after a failure.
    if (isOpened) void this.rpc.call(MarkConversationRead, { business_id, conversation_id }).catch(() => undefined);
    const message_ids = messages.filter(({ direction }) => direction === 'out').map(({ message_id }) => message_id);
    const [known, userNames, keyNames] = await Promise.all([
      this.statusesOf(business_id, message_ids),
      this.users.namesOf(business_id, distinct(messages, 'user_id')),
      this.keys.namesOf(business_id, distinct(messages, 'api_key_id')),
    ]);
    return {
      conversation,
      messages: messages.map(({ user_id, api_key_id, ...message }) => {
        const status = known?.get(message.message_id);
        const delivery_status = status?.delivery_status ?? (known && message.direction === 'out' ? ('sent' as const) : null);
        return {
          ...message,
          delivery_status,
          failure_reason: status?.failure_reason ?? null,
          author: user_id === undefined ? null : { id: user_id, name: userNames.get(user_id) ?? '' },
          api_key: api_key_id === undefined ? null : { id: api_key_id, name: keyNames.get(api_key_id) ?? '' },
        };
      }),
      next_cursor,
    };
  }

  @Post(':id/messages')
  @HttpCode(200)
  @Responds(SendResult, 'Reply to the customer within the 24-hour window', {
    errors: REPLY_ERRORS,
    repeatable: true,
  })
  reply(
    @CurrentUser() user: BusinessUser,
    @Param('id', IdPipe) id: number,
    @Body() { text, reply_to }: ReplyRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.send(user, id, SendText, { text, ...(reply_to && { reply_to }) }, { request, reply });
  }

  @Post(':id/reactions')
  @HttpCode(200)
  @Responds(SendResult, 'React to a message within the 24-hour window, or remove the reaction', {
    errors: REPLY_ERRORS,
    repeatable: true,
  })
  react(
    @CurrentUser() user: BusinessUser,
    @Param('id', IdPipe) id: number,
    @Body() { message_id, emoji }: ReactionRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.send(user, id, SendReaction, { message_id, emoji }, { request, reply });
  }

  private async send<O extends typeof SendText | typeof SendReaction>(
    { user_id, business_id }: BusinessUser,
    conversation_id: number,
    operation: O,
    message: Omit<RequestOf<O>, 'sender' | 'to'>,
    http: { request: FastifyRequest; reply: FastifyReply },
  ) {
    const business = await this.businesses.get(business_id);
    const { conversation } = await this.rpc.call(GetThread, { business_id, conversation_id, limit: 1, cursor: null });
    const party = { sends_as: null, daily_limit: null, user_id, business: { id: business_id, plan: business.plan, zones: business } };
    const { result } = await this.audit.record(
      { user_id, business_id, action: 'reply.sent', target: `conversation:${conversation_id}`, detail: {} },
      () =>
        this.sending.send<O>(operation, { ...message, to: conversation.customer_phone } as Omit<RequestOf<O>, 'sender'>, {
          party,
          ...http,
        }),
      ({ sent }) => (sent.replayed ? null : {}),
    );
    return result;
  }

  /** @returns null if the auto-reply service does not respond in time */
  private async unanswered(business_id: number, conversation_ids: number[]): Promise<Set<number> | null> {
    if (conversation_ids.length === 0) return new Set();
    const response = await queryOptional(this.rpc, FindUnanswered, { business_id, conversation_ids });
    return response && new Set(response.unanswered.map(({ conversation_id }) => conversation_id));
  }

  /** @returns null if the status service does not respond in time */
  private async statusesOf(business_id: number, message_ids: string[]) {
    const response =
      message_ids.length > 0 ? await queryOptional(this.rpc, GetMessageStatuses, { business_id, message_ids }) : { statuses: [] };
    return response && new Map(response.statuses.map((status) => [status.message_id, status]));
  }
}

const distinct = (messages: ThreadMessage[], member: 'user_id' | 'api_key_id') => [
  ...new Set(messages.flatMap((message) => message[member] ?? [])),
];
