import { migration } from '@mgw/postgres';

/**
 * Repeats the merge of opt-outs. An earlier version stored a STOP at the merged conversation if a later message of its batch merged the
 * person's conversations, so sends did not find it. A later START, or a lift by the business, still counts. WhatsApp's preference lifts no
 * STOP.
 */
const OPT_OUTS = `
INSERT INTO send.suppressions AS s (business_id, conversation_id, source, state, at, reason)
SELECT DISTINCT ON (c.merged_into, g.source) g.business_id, c.merged_into, g.source, g.state, g.at, g.reason
FROM send.suppressions g JOIN send.conversations c ON c.id = g.conversation_id
WHERE c.merged_into IS NOT NULL
  AND NOT EXISTS (SELECT FROM send.suppressions n WHERE n.conversation_id = c.merged_into AND n.state IS NULL AND n.source <> 'platform' AND n.at > g.at)
ORDER BY c.merged_into, g.source, g.at DESC
ON CONFLICT (conversation_id, source) DO UPDATE SET state = excluded.state, at = excluded.at, reason = excluded.reason
WHERE s.at < excluded.at;
`;

export const MergedOptOuts1796342720000 = migration('MergedOptOuts1796342720000', OPT_OUTS);
