import { OPT_IN_EVENTS } from '@mgw/contracts';
import type { Tx } from '@mgw/postgres';

/** SQL: the names of the events that are published only for businesses that want them. */
export const OPT_IN = `ARRAY['${OPT_IN_EVENTS.join(`', '`)}']`;

/** How long an opt-in event stays in the feed of a business that no longer wants it. */
const WANTED_FOR = `interval '7 days'`;

/**
 * Keeps the opt-in ones of these events in the feed of a business for another week. Within an hour it writes nothing again.
 * @returns whether any of them was written
 */
export async function keepWanted(tx: Tx, businessId: number, events: readonly string[]): Promise<boolean> {
  const rows = await tx.query(
    `INSERT INTO dispatch.feed_types AS t (business_id, event, wanted_until)
     SELECT $1, event, now() + ${WANTED_FOR} FROM (SELECT DISTINCT unnest($2::text[]) AS event) named
     WHERE event = ANY (${OPT_IN}) AND NOT EXISTS (
       SELECT FROM dispatch.feed_types known
       WHERE known.business_id = $1 AND known.event = named.event AND known.wanted_until > now() + ${WANTED_FOR} - interval '1 hour')
     ORDER BY event
     ON CONFLICT (business_id, event) DO UPDATE SET wanted_until = excluded.wanted_until RETURNING event`,
    [businessId, events],
  );
  return rows.length > 0;
}
