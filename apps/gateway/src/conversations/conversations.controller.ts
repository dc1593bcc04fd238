import { Body, Controller, Get, Headers, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import {
  AddNote,
  FindUnanswered,
  GetMessageStatuses,
  GetThread,
  ListConversations,
  MarkConversationRead,
  SendMedia,
  SendReaction,
  SendTemplate,
  SendText,
  UnassignConversations,
  UpdateConversation,
  type ConversationRecord,
  type LastMessage,
  type ThreadMessage,
} from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiKeysStore } from '../api-keys/api-keys.store';
import { AuditStore } from '../audit/audit.store';
import { IdPipe } from '../requests/id.pipe';
import { queryOptional } from '../requests/optional-query';
import { pageOf, PageQuery } from '../requests/page';
import { invalid } from '../requests/refusals';
import { withoutNulls } from '../requests/without-nulls';
import { Made } from '../responses/done';
import { Responds } from '../responses/responds';
import { idempotencyOf, markReplayed } from '../requests/idempotency';
import { SendResult } from '../sending/sending.responses';
import { TemplateContent, templateOf } from '../sending/template-content';
import { HasOwnShare } from '../sessions/request-shares';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import { isUnattended } from '../sessions/session.strategy';
import type { BusinessUser } from '../sessions/session-user';
import { UsersStore } from '../users/users.store';
import { AgentSends, CurrentAgent, type Agent } from './agent-sends.service';
import {
  ChangeConversationRequest,
  FileReplyRequest,
  ListConversationsQuery,
  NoteRequest,
  ReactionRequest,
  ReplyRequest,
} from './conversations.requests';
import { ConversationResponse, ConversationsResponse, ThreadResponse } from './conversations.responses';

/** A send of an agent has no API key and so no daily cap. */
export const AGENT_SENDS = {
  errors: [...SendText.errors, ...SendTemplate.errors].filter((code, i, all) => code !== 'DAILY_LIMIT_REACHED' && all.indexOf(code) === i),
  repeatable: true,
};

/** The inbox (spec §10). Window and suppression apply to a reply as to any other text. */
@Controller('api/client/conversations')
@NeedsSession()
export class ConversationsController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly sends: AgentSends,
    private readonly audit: AuditStore,
    private readonly users: UsersStore,
    private readonly keys: ApiKeysStore,
  ) {}

  @Get()
  @Responds(ConversationsResponse, 'List conversations: those that wait for a reply first, then the most recently active')
  async list(@CurrentUser() { business_id, user_id }: BusinessUser, @Query() query: ListConversationsQuery) {
    const { view, label, unread, q: search = null } = query;
    const filter = { user_id, search, ...(view && { view }), ...(label && { label }), ...(unread === '1' && { unread: true }) };
    const page = await this.rpc.call(ListConversations, { business_id, ...pageOf(query), ...filter });
    const waiting = page.conversations.filter(({ last_message }) => last_message?.direction === 'in').map(idOfLastMessage);
    const [unanswered, conversations] = await Promise.all([
      this.unanswered(business_id, waiting),
      this.withNames(business_id, page.conversations),
    ]);
    const needsAgent = page.conversations.map((one) => unanswered && unanswered.has(idOfLastMessage(one)));
    return { ...page, conversations: conversations.map((one, i) => ({ ...one, needs_agent: needsAgent[i] ?? null })) };
  }

  @Patch(':id')
  @Responds(ConversationResponse, 'Assign, label, close or reopen a conversation, or mark it as read', {
    errors: ['NOT_FOUND', 'VALIDATION_FAILED', 'CONFLICT'],
  })
  async change(
    @CurrentUser() { user_id, business_id }: BusinessUser,
    @Param('id', IdPipe) conversation_id: number,
    @Body() { assigned_to, ...request }: ChangeConversationRequest,
  ) {
    if (assigned_to && !(await this.users.namesOf(business_id, [assigned_to])).has(assigned_to))
      throw invalid('assigned_to', 'must be the id of a person of your team');
    const { read, nothing_received_since: since, labels_before, ...values } = withoutNulls(request);
    const detail = { ...values, ...(assigned_to !== undefined && { assigned_to }) };
    const condition = since !== undefined && { nothing_received_since: new Date(since).toISOString() };
    const given = { ...(read && { read }), ...(labels_before && { labels_before }), ...condition };
    const write = () => this.rpc.call(UpdateConversation, { business_id, conversation_id, ...detail, ...given });
    // Reading is no change that somebody looks for later (decision 393).
    const isChange = Object.keys(detail).length > 0;
    // Labels may describe a person, and the audit log outlives their erasure.
    const recorded = { ...detail, ...(values.labels && { labels: values.labels.length }) };
    const entry = {
      user_id,
      business_id,
      action: 'conversation.changed' as const,
      target: `conversation:${conversation_id}`,
      detail: recorded,
    };
    const { conversation } = await (isChange ? this.audit.record(entry, write) : write());
    const [named] = await this.withNames(business_id, [conversation]);
    return { conversation: named as NonNullable<typeof named> };
  }

  @Get(':id/messages')
  @Responds(ThreadResponse, 'Show the messages and notes of a conversation, the newest first')
  async thread(
    @CurrentUser() { business_id }: BusinessUser,
    @Param('id', IdPipe) conversation_id: number,
    @Query() query: PageQuery,
    @Req() request: FastifyRequest,
  ) {
    const page = { business_id, conversation_id, ...pageOf(query), notes: true };
    const { conversation, messages, newest_notes, next_cursor } = await this.rpc.call(GetThread, page);
    const isOpened = query.cursor === undefined && !isUnattended(request);
    // The page does not wait, and the next refresh retries after a failure.
    if (isOpened) void this.rpc.call(MarkConversationRead, { business_id, conversation_id }).catch(() => undefined);
    const isSent = ({ direction, type }: Pick<ThreadMessage, 'direction' | 'type'>) => direction === 'out' && type !== 'note';
    const sent = messages.filter(isSent).map(({ message_id }) => message_id);
    const [known, userNames, keyNames, [named]] = await Promise.all([
      this.statusesOf(business_id, sent),
      this.users.namesOf(business_id, distinct([...messages, ...(newest_notes ?? [])], 'user_id')),
      this.keys.namesOf(business_id, distinct(messages, 'api_key_id')),
      this.withNames(business_id, [conversation]),
    ]);
    const author = (id: number) => ({ id, name: userNames.get(id) ?? '' });
    return {
      conversation: named as NonNullable<typeof named>,
      ...(newest_notes && { newest_notes: newest_notes.map(({ user_id, ...note }) => ({ ...note, author: author(user_id) })) }),
      messages: messages.map(({ user_id, api_key_id, ...message }) => {
        const status = known?.get(message.message_id);
        const delivery_status = status?.delivery_status ?? (known && isSent(message) ? ('sent' as const) : null);
        return {
          ...message,
          delivery_status,
          failure_reason: status?.failure_reason ?? null,
          author: user_id === undefined ? null : author(user_id),
          api_key: api_key_id === undefined ? null : { id: api_key_id, name: keyNames.get(api_key_id) ?? '' },
        };
      }),
      next_cursor,
    };
  }

  @Post(':id/messages')
  @HasOwnShare()
  @Responds(SendResult, 'Reply to the customer within the 24-hour window', AGENT_SENDS)
  async reply(@CurrentAgent() agent: Agent, @Param('id', IdPipe) id: number, @Body() { text, reply_to }: ReplyRequest) {
    return this.sends.inConversation(id, SendText, { text, ...(reply_to && { reply_to }) }, agent);
  }

  @Post(':id/files')
  @HasOwnShare()
  @Responds(SendResult, 'Reply with a file within the 24-hour window', AGENT_SENDS)
  async file(@CurrentAgent() agent: Agent, @Param('id', IdPipe) id: number, @Body() body: FileReplyRequest) {
    const { media_type, media_id, caption, filename, reply_to } = body;
    const name = media_type === 'document' ? (filename ?? null) : null;
    const message = { media_type, media_id, caption: caption || null, filename: name, ...(reply_to && { reply_to }) };
    return this.sends.inConversation(id, SendMedia, message, agent);
  }

  @Post(':id/reactions')
  @HasOwnShare()
  @Responds(SendResult, 'React to a message within the 24-hour window, or remove the reaction', AGENT_SENDS)
  async react(@CurrentAgent() agent: Agent, @Param('id', IdPipe) id: number, @Body() { message_id, emoji }: ReactionRequest) {
    return this.sends.inConversation(id, SendReaction, { message_id, emoji }, agent);
  }

  @Post(':id/templates')
  @HasOwnShare()
  @Responds(SendResult, 'Send an approved template to the customer', AGENT_SENDS)
  async template(@CurrentAgent() agent: Agent, @Param('id', IdPipe) id: number, @Body() body: TemplateContent) {
    return this.sends.inConversation(id, SendTemplate, templateOf(body), agent);
  }

  @Post(':id/notes')
  @Responds(Made, 'Add a note that only the business sees', { errors: [...AddNote.errors, 'VALIDATION_FAILED'], repeatable: true })
  async note(
    @CurrentUser() { user_id, business_id }: BusinessUser,
    @Param('id', IdPipe) conversation_id: number,
    @Body() { text }: NoteRequest,
    @Headers('idempotency-key') key: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const note = { conversation_id, text };
    const idempotency = idempotencyOf(key, AddNote.subject, { ...note, user_id });
    const { id, replayed } = await this.audit.record(
      { user_id, business_id, action: 'note.added', target: `conversation:${conversation_id}`, detail: {} },
      () => this.rpc.call(AddNote, { business_id, user_id, ...note, idempotency }),
      (added) => (added.replayed ? null : {}),
    );
    markReplayed(reply, replayed);
    return { id, message: 'Added.' };
  }

  /** Names the people that conversations are assigned to, and the authors of their last messages. */
  private async withNames(businessId: number, conversations: ConversationRecord[]) {
    const ids = [...new Set(conversations.flatMap((one) => [one.assigned_to ?? [], one.last_message?.user_id ?? []].flat()))];
    const names = await this.users.namesOf(businessId, ids);
    this.unassignRemoved(businessId, conversations, names);
    const named = (id: number | null) => (id === null ? null : { id, name: names.get(id) ?? '' });
    const withAuthor = ({ user_id, conversation_id: _, ...message }: LastMessage) => ({ ...message, author: named(user_id ?? null) });
    return conversations.map(({ assigned_to, last_message, ...one }) => ({
      ...one,
      assigned_to: named(assigned_to),
      last_message: last_message && withAuthor(last_message),
    }));
  }

  /**
   * Repeats what the removal of a person could not do, and unassigns what a colleague assigned meanwhile. The page does not wait, and the
   * next refresh retries after a failure.
   */
  private unassignRemoved(business_id: number, conversations: ConversationRecord[], names: Map<number, string>): void {
    const removed = new Set(conversations.flatMap(({ assigned_to: id }) => (id === null || names.has(id) ? [] : [id])));
    for (const user_id of removed) void this.rpc.call(UnassignConversations, { business_id, user_id }).catch(() => undefined);
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

/** Auto-reply knows a message by the conversation in which it came, even after a merge. */
const idOfLastMessage = ({ id, last_message }: ConversationRecord) => last_message?.conversation_id ?? id;

const distinct = <M extends string>(rows: Partial<Record<M, number>>[], member: M) => [
  ...new Set(rows.flatMap((row) => row[member] ?? [])),
];
