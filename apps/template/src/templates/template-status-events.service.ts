import { Injectable } from '@nestjs/common';
import { newIntentId, TemplateStatusChanged } from '@mgw/contracts';
import { appendToOutbox, newEvent, OutboxRelay } from '@mgw/events';
import type { Tx } from '@mgw/postgres';
import { WantedEvents } from '@mgw/service';
import { SyncsStore } from './syncs.store';
import { TemplatesStore, type TemplateKey, type TemplateState } from './templates.store';

/** The status of a template that the platform's list no longer has. */
const GONE = 'DELETED';

/** Publishes `template.status` for templates whose status a change moves (decision 366). */
@Injectable()
export class TemplateStatusEvents {
  constructor(
    private readonly templates: TemplatesStore,
    private readonly syncs: SyncsStore,
    private readonly wanted: WantedEvents,
    private readonly relay: OutboxRelay,
  ) {}

  /**
   * Runs under `lockSync`.
   * @param write makes the change
   * @param reasonOf the platform's reason for a template's status
   * @param one the only template that `write` may change; without it all are compared, perhaps thousands
   * @returns the result; call `wake` after the commit
   */
  async apply<T>(
    tx: Tx,
    businessId: number,
    write: () => Promise<T>,
    reasonOf: (template: TemplateState) => string | null,
    one?: TemplateKey,
  ): Promise<T> {
    if (!(await this.wanted.isWanted(businessId, 'template.status'))) return write();
    const before = await this.templates.states(tx, businessId, one);
    const result = await write();
    // The first sync finds templates that are new to the gateway only.
    if (before.length === 0 && !(await this.syncs.hasSucceeded(tx, businessId))) return result;
    const after = await this.templates.states(tx, businessId, one);
    const known = new Map(before.map((template) => [template.id, template]));
    const left = new Set(after.map(({ id }) => id));
    const changed = [
      ...after.flatMap((now) => (known.get(now.id)?.status === now.status ? [] : [{ now, reason: reasonOf(now) }])),
      ...before.flatMap((old) => (left.has(old.id) || old.status === GONE ? [] : [{ now: { ...old, status: GONE }, reason: null }])),
    ];
    const at = new Date().toISOString();
    const events = changed.map(({ now: { id, name, language, status, quality }, reason }) =>
      newEvent(TemplateStatusChanged, {
        id: `template.status:${newIntentId()}`,
        at,
        business_id: businessId,
        key: `template:${id}`,
        data: {
          template_name: name,
          language,
          status,
          previous_status: known.get(id)?.status ?? null,
          reason: reason === 'NONE' ? null : reason,
          quality,
          business_id: businessId,
        },
      }),
    );
    await appendToOutbox(tx, 'template', events);
    return result;
  }

  /** Publishes what has committed. */
  wake(): void {
    this.relay.wake();
  }
}
