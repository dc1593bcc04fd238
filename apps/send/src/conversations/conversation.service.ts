import { Injectable } from '@nestjs/common';
import type { Database, Tx } from '@mgw/postgres';
import { ConversationChanges } from './conversation-changes';
import { aliasKey, ConversationStore, type Alias, type Reply } from './conversation.store';
import { aliasesOf, identify, personByAlias, type IdentityChange, type Person } from './person';
import { ErasedOptOuts } from '../people/erased-opt-outs';

/** Finds or opens conversations: one per business and person, even under concurrent calls. */
@Injectable()
export class ConversationService {
  constructor(
    private readonly store: ConversationStore,
    private readonly erasedOptOuts: ErasedOptOuts,
  ) {}

  /** @returns conversation ids in the order of `persons` */
  async findOrOpen(tx: Tx, persons: Person[]): Promise<number[]> {
    const ids = await this.openAll(tx, persons);
    await this.erasedOptOuts.restore(tx, persons, ids);
    return ids;
  }

  /**
   * Restores the opt-outs that erased people with these names had, before anybody writes to them.
   * @returns the hash of each name; null where the business has erased nobody
   */
  async restoreOptOuts(db: Database, names: Alias[]): Promise<(string | null)[]> {
    const { optedOut, hashes } = await this.erasedOptOuts.find(names);
    const persons = optedOut.map(({ businessId, alias }) => personByAlias(businessId, alias));
    if (persons.length > 0) await db.transaction((tx) => this.findOrOpen(tx, persons));
    return hashes;
  }

  private async openAll(tx: Tx, persons: Person[]): Promise<number[]> {
    const phones = persons.flatMap(phoneOnly);
    if (phones.length === persons.length) return this.store.openByPhone(tx, phones);
    const aliases = persons.flatMap(namesOf);
    const known = await this.store.lockAliases(tx, aliases);
    // A person whose aliases are all known needs no new id.
    const possiblyNew = persons.filter((person) => aliasesOf(person).some((alias) => !known.has(aliasKey(person.businessId, alias))));
    const newIds = possiblyNew.length === 0 ? [] : await this.store.reserveIds(tx, possiblyNew.length);
    const changes = new ConversationChanges(known, newIds);
    const ids = persons.map((person) => changes.resolve(person));
    await this.apply(tx, changes);
    // A later person may have merged the conversation of an earlier one.
    return ids.map((id) => changes.keptOf(id));
  }

  /**
   * Like `findOrOpen`, in its own transaction. Its commit does not wait for the disk; the next durable commit includes it.
   * @param waits whether it waits for names that other transactions hold
   * @returns null for each person with such a name, unless it waits
   */
  async findOrOpenRecipients(db: Database, persons: Person[], waits: boolean): Promise<(number | null)[]> {
    const phones = persons.flatMap(phoneOnly);
    if (phones.length === persons.length)
      return waits ? this.store.openByPhone(db.nonDurable, phones) : this.store.openFreeByPhone(db.nonDurable, phones);
    return db.transaction((tx) => (waits ? this.findOrOpen(tx, persons) : this.findOrOpenFree(tx, persons)), { durable: false });
  }

  private async findOrOpenFree(tx: Tx, persons: Person[]): Promise<(number | null)[]> {
    const names = persons.flatMap(namesOf);
    const isFree = await this.store.tryNames(tx, names);
    const held = new Set(names.filter((_, i) => !isFree[i]).map(({ businessId, alias }) => aliasKey(businessId, alias)));
    const free = persons.filter((person) => namesOf(person).every(({ businessId, alias }) => !held.has(aliasKey(businessId, alias))));
    const ids = free.length === 0 ? [] : await this.findOrOpen(tx, free);
    const idOf = new Map(free.map((person, i) => [person, ids[i]]));
    return persons.map((person) => idOf.get(person) ?? null);
  }

  /** Ends the waits of people who opted out, because nobody may reply to them. @param ids locked conversations */
  async endWaits(tx: Tx, ids: number[]): Promise<void> {
    if (ids.length > 0) await this.store.endWaits(tx, ids);
  }

  /**
   * The commit does not wait for the disk: after a crash, a person sees that the customer has the reply.
   * @returns those whose conversation another transaction holds
   */
  async recordReplies(db: Database, replies: Reply[]): Promise<Reply[]> {
    const held = replies.length === 0 ? [] : await this.store.recordReplies(db.nonDurable, replies, false);
    return replies.filter(({ conversationId }) => held.includes(conversationId));
  }

  /** Like `recordReplies`, but waits for other transactions. */
  async recordRepliesLater(db: Database, replies: Reply[]): Promise<void> {
    await this.store.recordReplies(db.nonDurable, replies, true);
  }

  /**
   * Points a person's new number or user id to their conversation (platform §4.4, system messages). A conversation under the new user id is
   * merged. One under the new number is merged unless it belongs to another user id.
   */
  async changeIdentity(tx: Tx, { before, now }: IdentityChange): Promise<void> {
    const { businessId } = before;
    const newAliases = [now.userId, now.phone].filter((alias) => alias !== null);
    const aliases = [...aliasesOf(before), ...newAliases].map((alias) => ({ businessId, alias }));
    const known = await this.store.lockAliases(tx, aliases);
    const knownBy = (alias: string) => known.get(aliasKey(businessId, alias));
    const { conversation } = identify(before, knownBy);
    if (!conversation) return;
    const handled = new Set([conversation.id]);
    for (const alias of newAliases) {
      const other = knownBy(alias);
      if (other === undefined || handled.has(other.id)) continue;
      handled.add(other.id);
      if (alias === now.userId || other.userId === null) await this.store.merge(tx, conversation.id, other.id);
      else await this.store.clearPhones(tx, [{ conversationId: other.id, phone: alias }]);
    }
    await this.store.pointAliases(
      tx,
      newAliases.map((alias) => ({ businessId, alias, conversationId: conversation.id })),
    );
    await this.store.setNames(tx, conversation.id, now);
  }

  private async apply(tx: Tx, changes: ConversationChanges): Promise<void> {
    if (changes.created.length > 0) await this.store.create(tx, changes.created);
    if (changes.aliases.length > 0) await this.store.pointAliases(tx, changes.aliases);
    for (const { id, userId } of changes.userIds) await this.store.setUserId(tx, id, userId);
    if (changes.clearedPhones.length > 0) await this.store.clearPhones(tx, changes.clearedPhones);
    for (const { conversationId, phone } of changes.phones) await this.store.addPhone(tx, conversationId, phone);
    for (const { kept, gone } of changes.merged) await this.store.merge(tx, kept, gone);
  }
}

/** The alias of a person who has only a phone. Such persons need a single round trip. */
function phoneOnly({ businessId, phone, userId, waId }: Person): Alias[] {
  return phone !== null && userId === null && (waId === null || waId === phone) ? [{ businessId, alias: phone }] : [];
}

function namesOf(person: Person): Alias[] {
  return aliasesOf(person).map((alias) => ({ businessId: person.businessId, alias }));
}
