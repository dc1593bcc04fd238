import { Controller } from '@nestjs/common';
import {
  ChangeTemplate,
  CreateTemplate,
  DeleteTemplate,
  FindTemplates,
  GatewayError,
  ListApprovedTemplates,
  ListTemplates,
  nearest,
  SyncTemplates,
  type ResponseOf,
  type RequestOf,
} from '@mgw/contracts';
import { Handles, type Handler } from '@mgw/rpc';
import { ConnectionsStore } from '../connections/connections.store';
import { SyncService } from './sync.service';
import { SyncsStore } from './syncs.store';
import { templateRecord, templateShape } from './template-record';
import { TemplateEditor } from './template-editor.service';
import { TemplatesStore } from './templates.store';

/** Left after a call of the platform for the response to arrive, in milliseconds. */
const RESPONSE_MS = 1_000;

@Controller()
export class TemplatesHandlers {
  constructor(
    private readonly templates: TemplatesStore,
    private readonly syncs: SyncsStore,
    private readonly connections: ConnectionsStore,
    private readonly syncing: SyncService,
    private readonly editor: TemplateEditor,
  ) {}

  @Handles(ListApprovedTemplates)
  async approved({
    business_id,
    ...pageRequest
  }: RequestOf<typeof ListApprovedTemplates>): Promise<ResponseOf<typeof ListApprovedTemplates>> {
    const { page, next_cursor } = await this.templates.listApproved(business_id, pageRequest);
    return { templates: page.map(templateRecord), next_cursor };
  }

  @Handles(FindTemplates)
  async find({ names }: RequestOf<typeof FindTemplates>): Promise<ResponseOf<typeof FindTemplates>> {
    const byName = await this.templates.findApproved(names);
    const unknown = names.filter((_, i) => byName[i]?.length === 0);
    const like = unknown.length > 0 ? await this.templates.findNamesLike(unknown) : [];
    return {
      found: names.map((wanted, i) => {
        const languages = byName[i] ?? [];
        const found = languages.find((template) => template.language === wanted.language);
        const similar = nearest(wanted.name, like[unknown.indexOf(wanted)] ?? []);
        return {
          template: found ? templateShape(found) : null,
          available_languages: languages.map((template) => template.language),
          ...(similar !== null && { similar }),
        };
      }),
    };
  }

  @Handles(ListTemplates)
  async list({ business_id, ...pageRequest }: RequestOf<typeof ListTemplates>): Promise<ResponseOf<typeof ListTemplates>> {
    // Read the sync first, so that the list is never older than it.
    const sync = await this.syncs.find(business_id);
    const { page, next_cursor } = await this.templates.list(business_id, pageRequest);
    return {
      templates: page.map((template) => ({
        ...templateRecord(template),
        status: template.status,
        components: template.components,
        quality: template.quality,
        rejected_reason: template.rejected_reason,
        updated_at: template.updated_at.toISOString(),
      })),
      sync,
      next_cursor,
    };
  }

  @Handles(SyncTemplates)
  async sync({ business_id }: RequestOf<typeof SyncTemplates>): Promise<ResponseOf<typeof SyncTemplates>> {
    if (!(await this.connections.find(business_id))) throw new GatewayError('NOT_CONNECTED', 'The business is not connected.');
    await this.syncing.request(business_id);
    return { state: 'running', started_at: new Date().toISOString() };
  }

  @Handles(CreateTemplate)
  create: Handler<typeof CreateTemplate> = ({ business_id, draft }, { deadlineAt }) =>
    this.editor.create(business_id, draft, deadlineAt - RESPONSE_MS);

  @Handles(ChangeTemplate)
  change: Handler<typeof ChangeTemplate> = ({ business_id, id, content }, { deadlineAt }) =>
    this.editor.change(business_id, id, content, deadlineAt - RESPONSE_MS);

  @Handles(DeleteTemplate)
  delete: Handler<typeof DeleteTemplate> = ({ business_id, id }, { deadlineAt }) =>
    this.editor.delete(business_id, id, deadlineAt - RESPONSE_MS);
}
