import { Controller, Get, Post, Res } from '@nestjs/common';
import { ListTemplates, SyncTemplates } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { AuditStore } from '../audit/audit.store';
import type { FastifyReply } from 'fastify';
import { Type } from '@sinclair/typebox';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { templateList } from './template-list';

const { templates, sync } = ListTemplates.reply.properties;
const TemplateList = Type.Object({ templates, sync }, { title: 'TemplateList' });
const SyncStarted = Type.Object({ message: Type.String(), sync: SyncTemplates.reply }, { title: 'SyncStarted' });

/** All templates with status and components, and their sync with the platform (spec §10). */
@Controller('api/client/templates')
@NeedsSession()
export class ClientTemplatesController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly audit: AuditStore,
  ) {}

  @Get()
  @Responds(TemplateList, 'List all templates with status and components, and how the last sync went')
  list(@CurrentUser() { business_id }: BusinessUser, @Res({ passthrough: true }) reply: FastifyReply) {
    return templateList(reply, (position) => this.rpc.call(ListTemplates, { business_id, ...position }));
  }

  @Post('sync')
  @Responds(SyncStarted, 'Read the templates again from the platform', { errors: SyncTemplates.errors })
  async sync(@CurrentUser() { user_id, business_id }: BusinessUser) {
    const sync = await this.audit.record({ user_id, business_id, action: 'templates.synced', target: null, detail: {} }, () =>
      this.rpc.call(SyncTemplates, { business_id }),
    );
    return { message: 'Sync started. Its progress is in the list of templates.', sync };
  }
}
