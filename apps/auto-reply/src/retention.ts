import { agedEventRows } from '@mgw/events';
import type { RetentionPlan } from '@mgw/service';
import type { AutoReplyConfig } from './auto-reply.config';

/** Pending questions have no `ended_at` and stay. */
export const autoReplyRetention = ({ repliesDays, ...keep }: AutoReplyConfig): RetentionPlan => ({
  rows: [...agedEventRows('auto_reply', keep), { table: 'auto_reply.replies', where: `ended_at < now() - interval '${repliesDays} days'` }],
});
