import { agedEventRows } from '@mgw/events';
import type { RetentionPlan } from '@mgw/service';
import type { DispatcherConfig } from './outbound-webhook-dispatcher.config';

/** Only deliveries that have ended expire. Their condition on `created_at` changes nothing but lets an index find them. */
export const dispatcherRetention = ({ deliveriesDays, ...keep }: DispatcherConfig): RetentionPlan => ({
  rows: [
    ...agedEventRows('dispatch', keep),
    {
      table: 'dispatch.deliveries',
      where: `created_at < now() - interval '${deliveriesDays} days' AND finished_at < now() - interval '${deliveriesDays} days'`,
    },
    { table: 'dispatch.old_secrets', where: 'valid_until < now()' },
  ],
});
