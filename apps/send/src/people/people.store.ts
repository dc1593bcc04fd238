import { Injectable } from '@nestjs/common';
import type { FindPerson, ResponseOf } from '@mgw/contracts';
import { Database, type Tx } from '@mgw/postgres';
import { ERASED } from '@mgw/service';

/** The hash of a name that an erased person had, and the conversation that has the name now. */
interface HashedName {
  businessId: number;
  hash: string;
  conversationId: number;
}

interface NameRow {
  name: string;
  since: Date | null;
  until: Date | null;
  conversation_ids: string[];
}

@Injectable()
export class PeopleStore {
  constructor(private readonly db: Database) {}

  /**
   * Finds every name and conversation of the person, those of merged conversations included. The person has a name since it left the last
   * other conversation. Messages show which names passed on before `send.former_aliases` was complete; later ones are not read, because a number
   * may have had hundreds of thousands.
   */
  async find(businessId: number, name: string): Promise<ResponseOf<typeof FindPerson>> {
    const rows = await this.db.reads(businessId).query<NameRow>(
      `WITH own AS MATERIALIZED (
         SELECT conversation_id AS id FROM send.conversation_aliases WHERE business_id = $1 AND alias = $2
       ), conversation AS MATERIALIZED (
         SELECT id FROM own UNION SELECT c.id FROM send.conversations c JOIN own ON c.merged_into = own.id
       ), current AS MATERIALIZED (
         SELECT a.alias FROM send.conversation_aliases a JOIN own ON a.conversation_id = own.id UNION SELECT $2
       ), held (name, until) AS (
         SELECT alias, NULL::timestamptz FROM current
         UNION SELECT f.alias, f.until FROM send.former_aliases f JOIN conversation c ON f.conversation_id = c.id
       ), named (name, since, until) AS (
         SELECT name, (SELECT max(f.until) FROM send.former_aliases f WHERE f.business_id = $1 AND f.alias = held.name
             AND f.until < coalesce(held.until, 'infinity') AND f.conversation_id NOT IN (SELECT id FROM conversation)), until
         FROM held
         UNION ALL
         -- A broadcast's attempt begins before the send.
         SELECT i.recipient, min(i.created_at) - interval '1 minute', max(m.accepted_at)
         FROM conversation c JOIN send.messages m ON m.conversation_id = c.id JOIN send.intents i ON i.id = m.intent_id
         WHERE m.accepted_at < (SELECT at FROM send.former_aliases_since)
           AND i.recipient <> '${ERASED}' AND i.recipient NOT IN (SELECT name FROM held) GROUP BY i.recipient
       )
       SELECT *, ARRAY(SELECT id FROM conversation) AS conversation_ids FROM named`,
      [businessId, name],
    );
    return {
      names: rows.filter(({ until }) => until === null).map((row) => row.name),
      conversation_ids: (rows[0]?.conversation_ids ?? []).map(Number),
      name_periods: rows.map((row) => ({
        name: row.name,
        since: row.since?.toISOString() ?? null,
        until: row.until?.toISOString() ?? null,
      })),
    };
  }

  async erasureKeys(): Promise<{ business_id: number; key_sealed: string }[]> {
    const rows = await this.db.lookups.query<{ business_id: string; key_sealed: string }>(
      'SELECT business_id, key_sealed FROM send.erasure_keys',
    );
    return rows.map(({ business_id, key_sealed }) => ({ business_id: Number(business_id), key_sealed }));
  }

  /** @param sealed the key of a business that has none yet @returns the key of the business, sealed */
  async erasureKey(businessId: number, sealed: string): Promise<string> {
    const [row] = await this.db.query<{ key_sealed: string }>(
      `INSERT INTO send.erasure_keys AS k (business_id, key_sealed) VALUES ($1, $2)
       ON CONFLICT (business_id) DO UPDATE SET key_sealed = k.key_sealed RETURNING key_sealed`,
      [businessId, sealed],
    );
    return row?.key_sealed ?? sealed;
  }

  /** @returns the indexes, from 0, of the names whose hash an erased person with an opt-out left */
  async optedOut(names: Omit<HashedName, 'conversationId'>[]): Promise<number[]> {
    const rows = await this.db.query<{ nth: string }>(
      `SELECT n.nth FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS n (business_id, hash, nth)
       WHERE EXISTS (SELECT FROM send.erased_opt_outs e WHERE e.business_id = n.business_id AND e.name_hash = n.hash)`,
      [names.map(({ businessId }) => businessId), names.map(({ hash }) => hash)],
    );
    return rows.map(({ nth }) => Number(nth) - 1);
  }

  /** Moves the opt-outs of erased people to the conversations that have their names now. */
  async restoreOptOuts(tx: Tx, names: HashedName[]): Promise<void> {
    await tx.query(
      `WITH back AS (
         DELETE FROM send.erased_opt_outs e USING unnest($1::bigint[], $2::text[], $3::bigint[]) AS n (business_id, hash, conversation_id)
         WHERE e.business_id = n.business_id AND e.name_hash = n.hash RETURNING n.business_id, n.conversation_id, e.source, e.state, e.at
       )
       INSERT INTO send.suppressions (business_id, conversation_id, source, state, at)
       SELECT DISTINCT ON (conversation_id, source) * FROM back ORDER BY conversation_id, source, at DESC
       ON CONFLICT (conversation_id, source) DO NOTHING`,
      [names.map(({ businessId }) => businessId), names.map(({ hash }) => hash), names.map(({ conversationId }) => conversationId)],
    );
  }
}
