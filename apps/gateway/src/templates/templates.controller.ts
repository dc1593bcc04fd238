import { Body, Controller, Delete, Get, Param, Post, Put, Res } from '@nestjs/common';
import {
  ChangeTemplate,
  CreateTemplate,
  DeleteTemplate,
  ListTemplates,
  Nullable,
  SyncTemplates,
  TemplateContent,
  TemplateDraft,
} from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { AuditStore, entryBy } from '../audit/audit.store';
import type { FastifyReply } from 'fastify';
import { Type } from '@sinclair/typebox';
import { IdPipe } from '../requests/id.pipe';
import { shaped } from '../requests/shape-fault';
import { Done } from '../responses/done';
import { Responds } from '../responses/responds';
import { CurrentUser, NeedsSession } from '../sessions/roles.guard';
import type { BusinessUser } from '../sessions/session-user';
import { templateList } from './template-list';
import { TemplateUse } from './template-use.service';
import { ChangeTemplateRequest, CreateTemplateRequest } from './templates.requests';

const { templates, sync } = ListTemplates.response.properties;
const sent_7_days = {
  ...Nullable(Type.Integer()),
  description: 'Messages with this name, in all languages, that WhatsApp accepted today and in the six days before; null if not known.',
};
const ListedTemplate = Type.Composite([templates.items, Type.Object({ sent_7_days })]);
const TemplateList = Type.Object({ templates: Type.Array(ListedTemplate), sync }, { title: 'TemplateList' });
const SyncStarted = Type.Object({ message: Type.String(), sync: SyncTemplates.response }, { title: 'SyncStarted' });

/** All templates with status and components, and their sync with the platform (spec §10). */
@Controller('api/client/templates')
@NeedsSession()
export class ClientTemplatesController {
  constructor(
    private readonly rpc: RpcClient,
    private readonly audit: AuditStore,
    private readonly use: TemplateUse,
  ) {}

  @Get()
  @Responds(TemplateList, 'List all templates with status and components, and how the last sync went')
  list(@CurrentUser() { business_id }: BusinessUser, @Res({ passthrough: true }) reply: FastifyReply) {
    const counter = this.use.counter(business_id);
    return templateList(reply, async (position) => {
      const [page, sentOf] = await Promise.all([this.rpc.call(ListTemplates, { business_id, ...position }), counter]);
      return { ...page, templates: page.templates.map((template) => ({ ...template, sent_7_days: sentOf(template.name) })) };
    });
  }

  @Post('sync')
  @Responds(SyncStarted, 'Read the templates again from the platform', { errors: SyncTemplates.errors })
  async sync(@CurrentUser() user: BusinessUser) {
    const sync = await this.audit.record(entryBy(user, 'templates.synced'), () =>
      this.rpc.call(SyncTemplates, { business_id: user.business_id }),
    );
    return { message: 'Sync started. Its progress is in the list of templates.', sync };
  }

  @Post()
  @Responds(Done, 'Submit a template to WhatsApp, which approves or rejects it', { errors: CreateTemplate.errors })
  async create(@CurrentUser() user: BusinessUser, @Body() request: CreateTemplateRequest) {
    const draft = shaped(TemplateDraft, request);
    const { name, language, category } = draft;
    const entry = entryBy(user, 'template.created', `template:${name}/${language}`, { category });
    await this.audit.record(entry, () => this.rpc.call(CreateTemplate, { business_id: user.business_id, draft }));
    return { message: 'WhatsApp reviews the template now.' };
  }

  @Put(':id')
  @Responds(Done, 'Replace the content of a template, which WhatsApp reviews again', { errors: ChangeTemplate.errors })
  async change(@CurrentUser() user: BusinessUser, @Param('id', IdPipe) id: number, @Body() request: ChangeTemplateRequest) {
    const content = shaped(TemplateContent, request);
    const entry = entryBy(user, 'template.changed', `template:${id}`);
    await this.audit.record(entry, () => this.rpc.call(ChangeTemplate, { business_id: user.business_id, id, content }));
    return { message: 'WhatsApp reviews the template again.' };
  }

  @Delete(':id')
  @Responds(Done, 'Delete a template in its language', { errors: DeleteTemplate.errors })
  async delete(@CurrentUser() user: BusinessUser, @Param('id', IdPipe) id: number) {
    const entry = entryBy(user, 'template.deleted', `template:${id}`);
    await this.audit.record(
      entry,
      () => this.rpc.call(DeleteTemplate, { business_id: user.business_id, id }),
      (deleted) => ({ detail: deleted }),
    );
    return { message: 'Template deleted.' };
  }
}
