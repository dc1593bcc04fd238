import { Injectable } from '@nestjs/common';
import { TemplatesChanged, type EventEnvelope, type PlatformTemplateUpdate } from '@mgw/contracts';
import type { Tx } from '@mgw/postgres';
import { RpcClient } from '@mgw/rpc';
import { SyncService } from './sync.service';
import { SyncsStore } from './syncs.store';
import { TemplateStatusEvents } from './template-status-events.service';
import { TemplatesStore } from './templates.store';

type TemplateEvent = EventEnvelope<typeof PlatformTemplateUpdate>;

/** The template's status after an event. FLAGGED templates still send; unknown events start a sync. */
const STATUS_AFTER: Record<string, string> = {
  APPROVED: 'APPROVED',
  REINSTATED: 'APPROVED',
  FLAGGED: 'APPROVED',
  PENDING: 'PENDING',
  IN_APPEAL: 'IN_APPEAL',
  REJECTED: 'REJECTED',
  PAUSED: 'PAUSED',
  DISABLED: 'DISABLED',
  LOCKED: 'DISABLED',
  ARCHIVED: 'ARCHIVED',
  PENDING_DELETION: 'PENDING_DELETION',
  DELETED: 'DELETED',
  LIMIT_EXCEEDED: 'LIMIT_EXCEEDED',
};

/**
 * Applies the platform's template updates (platform §4.6). A status counts at once, because the platform's list may lag behind. Other
 * updates, and those of unknown templates, request a sync.
 */
@Injectable()
export class TemplateUpdates {
  constructor(
    private readonly templates: TemplatesStore,
    private readonly statusEvents: TemplateStatusEvents,
    private readonly syncs: SyncsStore,
    private readonly syncing: SyncService,
    private readonly rpc: RpcClient,
  ) {}

  async apply(events: TemplateEvent[], tx: Tx): Promise<void> {
    // A sync that stores its list locks the same templates in another order.
    for (const businessId of [...new Set(events.map(({ business_id }) => business_id))].sort((a, b) => a - b))
      await this.templates.lockSync(tx, businessId);
    const needsSync = new Set<number>();
    for (const { business_id, data } of events) {
      const known = data.field === 'message_template_status_update' && (await this.applyStatus(business_id, data.raw, tx));
      if (!known) needsSync.add(business_id);
    }
    for (const businessId of needsSync) await this.syncs.request(businessId, tx);
  }

  /** Invalidates cached templates, starts the requested syncs and publishes events. Call it after the commit. */
  announce(businessIds: Iterable<number>): void {
    for (const business_id of businessIds) this.rpc.announce(TemplatesChanged, { business_id });
    this.syncing.wake();
    this.statusEvents.wake();
  }

  /** @returns false for an unknown template or status */
  private async applyStatus(businessId: number, raw: Record<string, unknown>, tx: Tx): Promise<boolean> {
    const status = STATUS_AFTER[String(raw['event'])];
    if (status === undefined) return false;
    const reason = typeof raw['reason'] === 'string' && raw['reason'] !== 'NONE' ? raw['reason'] : null;
    const template = {
      name: String(raw['message_template_name']),
      // The platform writes both en-US and en_US (platform §4.6).
      language: String(raw['message_template_language']).replaceAll('-', '_'),
      status,
      rejected_reason: status === 'REJECTED' ? reason : null,
    };
    return this.statusEvents.apply(
      tx,
      businessId,
      () => this.templates.setStatus(tx, businessId, template),
      () => reason,
      template,
    );
  }
}
