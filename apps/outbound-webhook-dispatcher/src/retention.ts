import { agedEventRows } from '@mgw/events';
import type { RetentionPlan } from '@mgw/service';
import type { DispatcherConfig } from './outbound-webhook-dispatcher.config';

/** A delivery that is open, or open again, has no end. */
export const dispatcherRetention = ({ deliveriesDays, ...keep }: DispatcherConfig): RetentionPlan => ({
  rows: [
    ...agedEventRows('dispatch', keep),
    { table: 'dispatch.deliveries', where: `finished_at < now() - interval '${deliveriesDays} days'` },
  ],
});
