import { Injectable } from '@nestjs/common';
import { GatewayError, notFound, type TemplateContent, type TemplateDraft } from '@mgw/contracts';
import { GraphClient, refusedByPlatform, type BusinessAccountTarget, type ReadOutcome } from '@mgw/platform-api';
import { Sealer } from '@mgw/sealing';
import { Shares } from '@mgw/shares';
import { ConnectionsStore } from '../connections/connections.store';
import { SyncService } from './sync.service';
import { componentsOf } from './template-components';
import { isNamed, templateFaults } from './template-faults';
import { TemplatesStore } from './templates.store';

/** Changes of templates that a process makes at once. */
export const MAX_WRITES = 8;
const UNCLEAR = 'WhatsApp gave no clear response, so the change may have been made. The list shows it after the sync that has started.';

/**
 * Changes templates at WhatsApp. A sync after each call stores the result, even when the response was lost: the platform's list is the
 * one truth.
 */
@Injectable()
export class TemplateEditor {
  private readonly writes = new Shares({ places: MAX_WRITES, largest: 1 / 4 });

  constructor(
    private readonly templates: TemplatesStore,
    private readonly connections: ConnectionsStore,
    private readonly syncing: SyncService,
    private readonly graph: GraphClient,
    private readonly sealer: Sealer,
  ) {}

  create(businessId: number, { name, language, ...content }: TemplateDraft, deadlineAt: number): Promise<void> {
    checkContent(content);
    const parameter_format = isNamed(content) ? 'NAMED' : 'POSITIONAL';
    const template = { name, language, category: content.category, parameter_format, components: componentsOf(content) };
    return this.write(businessId, (target) => this.graph.createTemplate(target, template, deadlineAt));
  }

  async change(businessId: number, id: number, content: TemplateContent, deadlineAt: number): Promise<void> {
    await this.requireConnection(businessId);
    const { platform_id, status, category } = await this.requireTemplate(businessId, id);
    checkContent(content);
    if (!['APPROVED', 'REJECTED', 'PAUSED'].includes(status))
      throw new GatewayError('CONFLICT', `A template that is ${status} cannot be edited. Wait until WhatsApp has reviewed it.`);
    if (status === 'APPROVED' && content.category !== category)
      throw new GatewayError('CONFLICT', 'The category of an approved template cannot be changed. Create another template instead.');
    // WhatsApp also refuses the unchanged category of an approved template.
    const change = { ...(content.category !== category && { category: content.category }), components: componentsOf(content) };
    return this.write(businessId, ({ accessToken }) =>
      this.graph.editTemplate({ templateId: platform_id, accessToken }, change, deadlineAt),
    );
  }

  async delete(businessId: number, id: number, deadlineAt: number): Promise<{ name: string; language: string }> {
    await this.requireConnection(businessId);
    const { platform_id, name, language } = await this.requireTemplate(businessId, id);
    await this.write(businessId, (target) => this.graph.deleteTemplate(target, { id: platform_id, name }, deadlineAt));
    return { name, language };
  }

  private async requireConnection(businessId: number) {
    const connection = await this.connections.find(businessId);
    if (!connection) throw new GatewayError('NOT_CONNECTED', 'The business is not connected.');
    return connection;
  }

  private async requireTemplate(businessId: number, id: number) {
    const template = await this.templates.findById(businessId, id);
    if (!template) throw notFound();
    return template;
  }

  private async write(businessId: number, call: (target: BusinessAccountTarget) => Promise<ReadOutcome<unknown>>): Promise<void> {
    const connection = await this.requireConnection(businessId);
    const release = this.writes.tryTake(String(businessId));
    if (release === null)
      throw new GatewayError('RATE_LIMITED', 'Other changes of templates are running. Try again in a moment.', { retry_after_seconds: 5 });
    try {
      const accessToken = this.sealer.open(connection.access_token_sealed, `connection.access_token:${businessId}`);
      const outcome = await call({ businessAccountId: connection.business_account_id, accessToken });
      if (outcome.kind === 'refused') throw refusedByPlatform(outcome.refusal);
      await this.syncing.request(businessId);
      if (outcome.kind === 'unavailable') throw new GatewayError('OUTCOME_UNKNOWN', UNCLEAR);
    } finally {
      release();
    }
  }
}

/** @throws GatewayError VALIDATION_FAILED with every fault */
function checkContent(content: TemplateContent): void {
  const details = templateFaults(content);
  const [first] = details;
  if (first) throw new GatewayError('VALIDATION_FAILED', `${first.field} ${first.message}.`, { details });
}
