import { Inject, Injectable } from '@nestjs/common';
import { OutboxRelay } from '@mgw/events';
import type { Refusal } from '@mgw/platform-api';
import { Database } from '@mgw/postgres';
import { LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { ConnectionService } from '../connection/connection.service';
import { ConversationService } from '../conversations/conversation.service';
import { personByAlias } from '../conversations/person';
import { SuppressionChanges } from '../suppression/suppression-changes.service';
import { SuppressionStore } from '../suppression/suppression.store';
import { TemplateService } from '../templates/template.service';
import { WindowStore } from '../window/window.store';

interface RefusedRecipient {
  businessId: number;
  to: string;
  conversationId: number | null;
  /** The value when the send was reserved. */
  lastInboundAt: Date | null;
}

/** Updates the gateway's state after a refusal (platform §2, last column). A failure is logged only, because the caller must get its error. */
@Injectable()
export class RefusalEffects {
  constructor(
    @Inject(Database) private readonly db: Database,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly connections: ConnectionService,
    private readonly conversations: ConversationService,
    private readonly suppressions: SuppressionStore,
    private readonly changes: SuppressionChanges,
    private readonly relay: OutboxRelay,
    private readonly templates: TemplateService,
    private readonly windows: WindowStore,
  ) {}

  async apply(refusal: Refusal, recipient: RefusedRecipient): Promise<void> {
    const logged = { business_id: recipient.businessId, platform_code: refusal.platformCode, platform_trace_id: refusal.traceId };
    if (refusal.sideEffect !== null) this.logger.warn({ ...logged, effect: refusal.sideEffect }, 'the platform refused a message');
    try {
      await this.applySideEffect(refusal, recipient);
    } catch (error) {
      this.logger.error({ ...logged, err: error }, 'recording the effect of a refusal failed');
    }
  }

  private async applySideEffect(refusal: Refusal, { businessId, to, conversationId, lastInboundAt }: RefusedRecipient): Promise<void> {
    switch (refusal.sideEffect) {
      case 'connection-problem':
        return this.connections.reportProblem(businessId, refusal.platformCode ?? 0, refusal.message);
      case 'templates-stale':
        return this.templates.refresh(businessId);
      case 'window-closed':
        if (conversationId !== null && lastInboundAt !== null) await this.windows.markClosed(conversationId, lastInboundAt);
        return;
      case 'marketing-opt-out':
        return this.optOut(businessId, to);
      case 'billing-problem':
      case 'quality-problem':
      case null:
        return;
    }
  }

  private async optOut(businessId: number, to: string): Promise<void> {
    const at = new Date().toISOString();
    const { events } = await this.db.transaction(async (tx) => {
      const conversations = await this.conversations.findOrOpen(tx, [personByAlias(businessId, to)]);
      const change = { businessId, conversations, source: 'platform' as const, at };
      const write = () => this.suppressions.set(tx, conversations[0] as number, 'platform', 'opted_out_marketing', at);
      return this.changes.apply(tx, change, write);
    });
    if (events.length > 0) this.relay.wake();
  }
}
