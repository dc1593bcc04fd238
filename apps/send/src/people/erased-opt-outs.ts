import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { RefreshedValue } from '@mgw/caching';
import type { Tx } from '@mgw/postgres';
import { Sealer } from '@mgw/sealing';
import type { Alias } from '../conversations/conversation.store';
import { aliasesOf, type Person } from '../conversations/person';
import { PeopleStore } from './people.store';

/** Shorter than an erasure waits before it deletes the names of a person. */
const KEYS_FRESH_MS = 2_000;

export const erasureKeyContext = (businessId: number) => `send.erasure_key:${businessId}`;

/**
 * An opted-out person who was erased stays opted out: the business knows only a keyed hash of their names. As soon as one of the names
 * comes up again, the opt-out belongs to its conversation.
 */
@Injectable()
export class ErasedOptOuts {
  private readonly keys: RefreshedValue<Map<number, string>>;
  /** Keys by their sealed text: thousands of businesses may have one, and opening them takes time. */
  private opened = new Map<string, string>();

  constructor(
    private readonly people: PeopleStore,
    sealer: Sealer,
  ) {
    this.keys = new RefreshedValue({
      load: async () => {
        const rows = await people.erasureKeys();
        const open = (business: number, sealed: string) => this.opened.get(sealed) ?? sealer.open(sealed, erasureKeyContext(business));
        const keys = rows.map(({ business_id, key_sealed }) => [business_id, key_sealed, open(business_id, key_sealed)] as const);
        this.opened = new Map(keys.map(([, sealed, key]) => [sealed, key]));
        return new Map(keys.map(([business, , key]) => [business, key]));
      },
    });
  }

  /** @returns the names that an opted-out person had, and the hash of each name; null where the business has erased nobody */
  async find(names: Alias[]): Promise<{ optedOut: Alias[]; hashes: (string | null)[] }> {
    const hashes = await this.hash(names);
    const hashed = withHashes(names, hashes);
    const places = hashed.length === 0 ? [] : await this.people.optedOut(hashed);
    return { optedOut: places.flatMap((place) => hashed[place] ?? []), hashes };
  }

  /** @param ids the conversations of the persons, in their order */
  async restore(tx: Tx, persons: Person[], ids: number[]): Promise<void> {
    const names = persons.flatMap((person, i) =>
      aliasesOf(person).map((alias) => ({ businessId: person.businessId, alias, conversationId: ids[i] as number })),
    );
    const hashed = withHashes(names, await this.hash(names));
    if (hashed.length > 0) await this.people.restoreOptOuts(tx, hashed);
  }

  /** @returns the hash of each name; null where the business has erased nobody */
  private async hash(names: Alias[]): Promise<(string | null)[]> {
    const keys = await this.keys.get(KEYS_FRESH_MS);
    return names.map(({ businessId, alias }) => {
      const key = keys.get(businessId);
      return key === undefined ? null : `erased:${createHash('sha256').update(`${key}${alias}`).digest('hex')}`;
    });
  }
}

function withHashes<N extends Alias>(names: N[], hashes: (string | null)[]): (N & { hash: string })[] {
  return names.flatMap((name, i) => {
    const hash = hashes[i];
    return typeof hash === 'string' ? [{ ...name, hash }] : [];
  });
}
