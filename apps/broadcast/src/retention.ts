import { agedEventRows } from '@mgw/events';
import type { RetentionPlan } from '@mgw/service';
import type { BroadcastConfig } from './broadcast.config';

/**
 * Deletes finished broadcasts only, their recipients first and in their own batches. Keeps a report for as long as the platform may
 * report on its message again (platform §4.5).
 */
export const broadcastRetention = ({ broadcastsDays, ...keep }: BroadcastConfig): RetentionPlan => {
  const finished = `finished_at < now() - interval '${broadcastsDays} days'`;
  return {
    rows: [
      ...agedEventRows('broadcast', keep),
      { table: 'broadcast.recipients', where: `broadcast_id = ANY (ARRAY(SELECT id FROM broadcast.broadcasts WHERE ${finished}))` },
      {
        table: 'broadcast.broadcasts',
        where: `${finished} AND NOT EXISTS (SELECT FROM broadcast.recipients r WHERE r.broadcast_id = aged.id)`,
      },
      { table: 'broadcast.reports', where: `at < now() - interval '30 days'` },
    ],
  };
};
