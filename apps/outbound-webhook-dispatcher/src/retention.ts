import { agedEventRows } from '@mgw/events';
import type { RetentionPlan } from '@mgw/service';
import type { DispatcherConfig } from './outbound-webhook-dispatcher.config';

/** A delivery that is open has no end. An end is never before the beginning, by which the index finds it. */
export const dispatcherRetention = ({ deliveriesDays, ...keep }: DispatcherConfig): RetentionPlan => ({
  rows: [
    ...agedEventRows('dispatch', keep),
    {
      table: 'dispatch.deliveries',
      where: `created_at < now() - interval '${deliveriesDays} days' AND finished_at < now() - interval '${deliveriesDays} days'`,
    },
  ],
});
