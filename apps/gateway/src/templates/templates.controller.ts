import { Body, Controller, Delete, Get, Param, Post, Put, Res } from '@nestjs/common';
import {
  ChangeTemplate,
  CreateTemplate,
  DeleteTemplate,
  ListTemplates,
  SyncTemplates,
  TemplateContent,
  TemplateDraft,
} from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { AuditStore } from '../audit/audit.store';
import type { FastifyReply } from 'fastify';
import { Type } from '@sinclair/typebox';
import { IdPipe } from '../requests/id.pipe';
import { shaped } from '../requests/shape-fault';
import { Done } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { templateList } from './template-list';
import { ChangeTemplateRequest, CreateTemplateRequest } from './templates.requests';

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

  @Post()
  @Responds(Done, 'Submit a template to WhatsApp, which approves or rejects it', { errors: CreateTemplate.errors })
  async create(@CurrentUser() { user_id, business_id }: BusinessUser, @Body() request: CreateTemplateRequest) {
    const draft = shaped(TemplateDraft, request);
    const { name, language, category } = draft;
    const entry = {
      user_id,
      business_id,
      action: 'template.created' as const,
      target: `template:${name}/${language}`,
      detail: { category },
    };
    await this.audit.record(entry, () => this.rpc.call(CreateTemplate, { business_id, draft }));
    return { message: 'WhatsApp reviews the template now.' };
  }

  @Put(':id')
  @Responds(Done, 'Replace the content of a template, which WhatsApp reviews again', { errors: ChangeTemplate.errors })
  async change(
    @CurrentUser() { user_id, business_id }: BusinessUser,
    @Param('id', IdPipe) id: number,
    @Body() request: ChangeTemplateRequest,
  ) {
    const content = shaped(TemplateContent, request);
    const entry = { user_id, business_id, action: 'template.changed' as const, target: `template:${id}`, detail: {} };
    await this.audit.record(entry, () => this.rpc.call(ChangeTemplate, { business_id, id, content }));
    return { message: 'WhatsApp reviews the template again.' };
  }

  @Delete(':id')
  @Responds(Done, 'Delete a template in its language', { errors: DeleteTemplate.errors })
  async delete(@CurrentUser() { user_id, business_id }: BusinessUser, @Param('id', IdPipe) id: number) {
    const entry = { user_id, business_id, action: 'template.deleted' as const, target: `template:${id}`, detail: {} };
    await this.audit.record(entry, () => this.rpc.call(DeleteTemplate, { business_id, id }));
    return { message: 'Template deleted.' };
  }
}
