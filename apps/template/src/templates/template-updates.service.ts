import { Injectable } from '@nestjs/common';
import { TemplatesChanged, type EventEnvelope, type PlatformTemplateUpdate } from '@mgw/contracts';
import type { Tx } from '@mgw/postgres';
import { RpcClient } from '@mgw/rpc';
import { SyncsStore } from './syncs.store';
import { TemplatesStore } from './templates.store';

type TemplateEvent = EventEnvelope<typeof PlatformTemplateUpdate>;

/** What an event makes of a template; FLAGGED still sends, and what we do not know is read from the platform. */
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
 * Changes of templates as the platform tells them (platform §4.6). A status is believed at once: the platform's own list may
 * lag behind it. For everything else, and for a template that we do not know, the list is read again.
 */
@Injectable()
export class TemplateUpdates {
  constructor(
    private readonly templates: TemplatesStore,
    private readonly syncs: SyncsStore,
    private readonly rpc: RpcClient,
  ) {}

  async apply(events: TemplateEvent[], tx: Tx): Promise<void> {
    const unread = new Set<number>();
    for (const { business_id, data } of events) {
      const known = data.field === 'message_template_status_update' && (await this.applyStatus(business_id, data.raw, tx));
      if (!known) unread.add(business_id);
    }
    for (const businessId of unread) await this.syncs.request(businessId, tx);
  }

  /** After the commit: holders of templates ask again. */
  announce(businessIds: Iterable<number>): void {
    for (const business_id of businessIds) this.rpc.announce(TemplatesChanged, { business_id });
  }

  /** @returns whether it is a template of ours, and a status that we know */
  private async applyStatus(businessId: number, raw: Record<string, unknown>, tx: Tx): Promise<boolean> {
    const status = STATUS_AFTER[String(raw['event'])];
    if (status === undefined) return false;
    return this.templates.setStatus(tx, businessId, {
      name: String(raw['message_template_name']),
      // Meta writes it both ways (platform §4.6).
      language: String(raw['message_template_language']).replaceAll('-', '_'),
      status,
    });
  }
}
