import { Body, Controller, Delete, Get, Param, Post, Put } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { CreateQuickReply, DeleteQuickReply, ListQuickReplies, UpdateQuickReply } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { AuditStore, entryBy } from '../audit/audit.store';
import { IdPipe } from '../requests/id.pipe';
import { withoutNulls } from '../requests/without-nulls';
import { Done, Made } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { ChangeQuickReplyRequest, QuickReplyRequest } from './conversations.requests';

const QuickRepliesResponse = Type.Object(ListQuickReplies.response.properties, { title: 'QuickReplies' });

@Controller('api/client/quick-replies')
@NeedsSession()
export class QuickRepliesController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly audit: AuditStore,
  ) {}

  @Get()
  @Responds(QuickRepliesResponse, 'List the quick replies')
  async list(@CurrentUser() { business_id }: BusinessUser) {
    return this.rpc.call(ListQuickReplies, { business_id });
  }

  @Post()
  @Responds(Made, 'Create a quick reply', { errors: ['CONFLICT'] })
  async create(@CurrentUser() user: BusinessUser, @Body() quickReply: QuickReplyRequest) {
    const { id } = await this.audit.record(
      entryBy(user, 'quick-reply.created', null, { shortcut: quickReply.shortcut }),
      () => this.rpc.call(CreateQuickReply, { business_id: user.business_id, ...quickReply }),
      (created) => ({ target: `quick-reply:${created.id}` }),
    );
    return { id, message: 'Created.' };
  }

  @Put(':id')
  @Responds(Done, 'Change a quick reply', { errors: ['CONFLICT', 'NOT_FOUND'] })
  async change(@CurrentUser() user: BusinessUser, @Param('id', IdPipe) id: number, @Body() request: ChangeQuickReplyRequest) {
    const change = withoutNulls(request);
    const { shortcut } = change;
    const detail = shortcut === undefined ? {} : { shortcut };
    await this.audit.record(entryBy(user, 'quick-reply.changed', `quick-reply:${id}`, detail), () =>
      this.rpc.call(UpdateQuickReply, { business_id: user.business_id, id, ...change }),
    );
    return { message: 'Saved.' };
  }

  @Delete(':id')
  @Responds(Done, 'Delete a quick reply', { errors: ['NOT_FOUND'] })
  async delete(@CurrentUser() user: BusinessUser, @Param('id', IdPipe) id: number) {
    await this.audit.record(
      entryBy(user, 'quick-reply.deleted', `quick-reply:${id}`),
      () => this.rpc.call(DeleteQuickReply, { business_id: user.business_id, id }),
      (deleted) => ({ detail: deleted }),
    );
    return { message: 'Deleted.' };
  }
}
