import { Injectable } from '@nestjs/common';
import type { FindPerson, ReplyOf } from '@mgw/contracts';
import { Database, type Tx } from '@mgw/postgres';

/** The hash of a name that an erased person had, and the conversation that has the name now. */
export interface HashedName {
  businessId: number;
  hash: string;
  conversationId: number;
}

@Injectable()
export class PeopleStore {
  constructor(private readonly db: Database) {}

  /** @returns every name and conversation of the person, those of merged conversations included */
  async find(businessId: number, name: string): Promise<ReplyOf<typeof FindPerson>> {
    const [row] = await this.db.reads(businessId).query<{ names: string[]; conversation_ids: string[] }>(
      `WITH own AS MATERIALIZED (SELECT conversation_id AS id FROM send.conversation_aliases WHERE business_id = $1 AND alias = $2)
       SELECT ARRAY(SELECT alias FROM send.conversation_aliases a JOIN own ON a.conversation_id = own.id UNION SELECT $2) AS names,
         ARRAY(SELECT id FROM own UNION SELECT c.id FROM send.conversations c JOIN own ON c.merged_into = own.id) AS conversation_ids`,
      [businessId, name],
    );
    return { names: row?.names ?? [name], conversation_ids: (row?.conversation_ids ?? []).map(Number) };
  }

  async erasureKeys(): Promise<{ business_id: number; key_sealed: string }[]> {
    const rows = await this.db.query<{ business_id: string; key_sealed: string }>('SELECT business_id, key_sealed FROM send.erasure_keys');
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

  /** @returns the places of the hashes that an erased person with an opt-out left, from 0 */
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
