import { Injectable } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { CancelRecovery, GetRecovery, RECOVERABLE_STATES, RecoverDeliveries, type ReplyOf } from '@mgw/contracts';
import { RpcClient } from '@mgw/rpc';
import { invalid } from '../requests/refusals';
import type { RecoverRequest } from './recovery.requests';

const { queued } = RecoverDeliveries.reply.properties;
export const RECOVERED = {
  queued,
  next_since: Type.Optional(Type.String({ description: 'Present if the period has further deliveries: begin the next recovery here.' })),
  message: Type.String(),
};
export const RECOVERY = GetRecovery.reply.properties;
export const RECOVERY_CANCELLED = { ...CancelRecovery.reply.properties, message: Type.String() };

/** Recoveries of webhooks, for the dashboard and for keys (decision 353). */
@Injectable()
export class RecoveryService {
  constructor(private readonly rpc: RpcClient) {}

  async begin(business_id: number, webhook_id: number, { since, until, states }: RecoverRequest) {
    const [from, to] = [since, until ?? null].map((time) => time && new Date(time).toISOString()) as [string, string | null];
    if (to !== null && to < from) throw invalid('until', 'must not be before since');
    const { queued, next_since } = await this.rpc.call(RecoverDeliveries, {
      business_id,
      webhook_id,
      since: from,
      ...(to !== null && { until: to }),
      states: [...new Set(states ?? RECOVERABLE_STATES)],
    });
    return { queued, ...(next_since !== null && { next_since }), message: begun(queued, next_since) };
  }

  get(business_id: number, webhook_id: number): Promise<ReplyOf<typeof GetRecovery>> {
    return this.rpc.call(GetRecovery, { business_id, webhook_id });
  }

  async cancel(business_id: number, webhook_id: number) {
    const { cancelled } = await this.rpc.call(CancelRecovery, { business_id, webhook_id });
    return { cancelled, message: cancelled === 0 ? 'No recovery of this webhook is running.' : 'Recovery cancelled.' };
  }
}

function begun(queued: number, nextSince: string | null): string {
  const more = nextSince === null ? '' : ` The period has more: recover again from ${nextSince}.`;
  return queued === 0 ? `No deliveries to recover.${more}` : `${queued} deliveries are queued, the oldest first.${more}`;
}
