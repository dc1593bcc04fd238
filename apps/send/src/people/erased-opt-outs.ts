import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { RefreshedValue } from '@mgw/caching';
import { GatewayError } from '@mgw/contracts';
import type { Tx } from '@mgw/postgres';
import { Sealer } from '@mgw/sealing';
import { LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import type { Alias } from '../conversations/conversation.store';
import { aliasesOf, type Person } from '../conversations/person';
import { PeopleStore } from './people.store';

/** Shorter than an erasure waits before it deletes the names of a person. */
const KEYS_FRESH_MS = 2_000;

export const erasureKeyContext = (businessId: number) => `send.erasure_key:${businessId}`;

/** The keys of these businesses do not open, so nobody can check whether an erased person had opted out (decision 722). */
export class OptOutsUnknown extends GatewayError {
  constructor(readonly businesses: ReadonlySet<number>) {
    super('OVERLOADED', 'The opt-outs of erased people cannot be checked, so nothing was done. The operator has to repair a key.');
  }
}

interface OpenedKey {
  sealed: string;
  /** Null if the key does not open. */
  key: string | null;
}

/**
 * An opted-out person who was erased stays opted out: the business knows only a keyed hash of their names. As soon as one of the names
 * comes up again, the opt-out belongs to its conversation.
 */
@Injectable()
export class ErasedOptOuts {
  private readonly keys: RefreshedValue<ReadonlyMap<number, OpenedKey>>;
  /** By business, from the last load: thousands of businesses may have a key, and opening them takes time. */
  private opened: ReadonlyMap<number, OpenedKey> = new Map();

  constructor(
    private readonly people: PeopleStore,
    private readonly sealer: Sealer,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.keys = new RefreshedValue({
      load: async () => (this.opened = new Map((await people.erasureKeys()).map((row) => [row.business_id, this.open(row)]))),
      onStale: (error) => logger.warn({ err: error }, 'refreshing the keys of erasures failed; using the last ones'),
    });
  }

  /**
   * @returns the names that an opted-out person had, and the hash of each name; null where the business has erased nobody
   * @throws OptOutsUnknown
   */
  async find(names: Alias[]): Promise<{ optedOut: Alias[]; hashes: (string | null)[] }> {
    const { hashes, unknown } = await this.hash(names);
    if (unknown.size > 0) throw new OptOutsUnknown(unknown);
    const hashed = withHashes(names, hashes);
    const places = hashed.length === 0 ? [] : await this.people.optedOut(hashed);
    return { optedOut: places.flatMap((place) => hashed[place] ?? []), hashes };
  }

  /**
   * Leaves out businesses whose key does not open: their opt-outs return when it opens again, and until then `find` refuses their sends.
   * @param ids the conversations of the persons, in their order
   */
  async restore(tx: Tx, persons: Person[], ids: number[]): Promise<void> {
    const names = persons.flatMap((person, i) =>
      aliasesOf(person).map((alias) => ({ businessId: person.businessId, alias, conversationId: ids[i] as number })),
    );
    const hashed = withHashes(names, (await this.hash(names)).hashes);
    if (hashed.length > 0) await this.people.restoreOptOuts(tx, hashed);
  }

  private async hash(names: Alias[]): Promise<{ hashes: (string | null)[]; unknown: ReadonlySet<number> }> {
    const keys = await this.keys.get(KEYS_FRESH_MS);
    const unknown = new Set<number>();
    const hashes = names.map(({ businessId, alias }) => {
      const opened = keys.get(businessId);
      if (opened === undefined) return null;
      if (opened.key !== null) return `erased:${createHash('sha256').update(`${opened.key}${alias}`).digest('hex')}`;
      unknown.add(businessId);
      return null;
    });
    return { hashes, unknown };
  }

  private open({ business_id, key_sealed: sealed }: { business_id: number; key_sealed: string }): OpenedKey {
    const last = this.opened.get(business_id);
    if (last?.sealed === sealed) return last;
    try {
      return { sealed, key: this.sealer.open(sealed, erasureKeyContext(business_id)) };
    } catch (error) {
      this.logger.error({ err: error, business_id }, 'opening the key of erasures of a business failed; its sends are refused');
      return { sealed, key: null };
    }
  }
}

function withHashes<N extends Alias>(names: N[], hashes: (string | null)[]): (N & { hash: string })[] {
  return names.flatMap((name, i) => {
    const hash = hashes[i];
    return typeof hash === 'string' ? [{ ...name, hash }] : [];
  });
}
