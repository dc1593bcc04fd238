import { Injectable } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { CancelRecovery, GetRecovery, RECOVERABLE_STATES, RecoverDeliveries, type ResponseOf } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { AuditStore, entryBy, type Author } from '../audit/audit.store';
import { invalid } from '../requests/refusals';
import type { RecoverRequest } from './recovery.requests';

const { queued } = RecoverDeliveries.response.properties;
export const Recovered = Type.Object(
  {
    queued,
    next_since: Type.Optional(Type.String({ description: 'Present if the period has further deliveries: begin the next recovery here.' })),
    message: Type.String(),
  },
  { title: 'Recovered' },
);
export const RecoveryResponse = Type.Object(GetRecovery.response.properties, { title: 'RecoveryProgress' });
export const RecoveryCancelled = Type.Object(
  { ...CancelRecovery.response.properties, message: Type.String() },
  { title: 'RecoveryCancelled' },
);

/** Recoveries of webhooks, for the dashboard and for keys (decision 353). */
@Injectable()
export class RecoveryService {
  constructor(
    private readonly rpc: RpcClient,
    private readonly audit: AuditStore,
  ) {}

  async begin(author: Author, webhook_id: number, { since, until, states }: RecoverRequest) {
    const [from, to] = [since, until ?? null].map((time) => time && new Date(time).toISOString()) as [string, string | null];
    if (to !== null && to < from) throw invalid('until', 'must not be before since');
    const request = {
      business_id: author.business_id,
      webhook_id,
      since: from,
      ...(to !== null && { until: to }),
      states: [...new Set(states ?? RECOVERABLE_STATES)],
    };
    const { queued, next_since } = await this.audit.record(
      entryBy(author, 'webhook.recovered', `webhook:${webhook_id}`),
      () => this.rpc.call(RecoverDeliveries, request),
      ({ queued }) => ({ detail: { since, queued } }),
    );
    return { queued, ...(next_since !== null && { next_since }), message: begun(queued, next_since) };
  }

  get(business_id: number, webhook_id: number): Promise<ResponseOf<typeof GetRecovery>> {
    return this.rpc.call(GetRecovery, { business_id, webhook_id });
  }

  async cancel(author: Author, webhook_id: number) {
    const { cancelled } = await this.audit.record(entryBy(author, 'webhook.recovery-cancelled', `webhook:${webhook_id}`), () =>
      this.rpc.call(CancelRecovery, { business_id: author.business_id, webhook_id }),
    );
    return { cancelled, message: cancelled === 0 ? 'No recovery of this webhook is running.' : 'Recovery cancelled.' };
  }
}

function begun(queued: number, nextSince: string | null): string {
  const more = nextSince === null ? '' : ` The period has more: recover again from ${nextSince}.`;
  if (queued === 0) return `No deliveries to recover.${more}`;
  return queued === 1 ? `1 delivery is queued.${more}` : `${queued} deliveries are queued, the oldest first.${more}`;
}
