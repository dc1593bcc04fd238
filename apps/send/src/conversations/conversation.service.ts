import { Injectable } from '@nestjs/common';
import type { Database, Tx } from '@mgw/postgres';
import { aliasKey, ConversationStore, type Alias } from './conversation.store';
import { identify, namesOf, type KnownConversation, type Person, type Renaming } from './person';

/** Finds or opens the conversation of each person; one per business and person, whoever asks at the same time. */
@Injectable()
export class ConversationService {
  constructor(private readonly store: ConversationStore) {}

  /** @returns conversation ids, in the order of the persons. */
  async of(tx: Tx, persons: Person[]): Promise<number[]> {
    const numbers = persons.flatMap(onlyNumber);
    if (numbers.length === persons.length) return this.store.open(tx, numbers);
    const names = persons.flatMap((person) => namesOf(person).map((alias) => ({ businessId: person.businessId, alias })));
    const known = await this.store.find(tx, names);
    // Nobody is new who is known by every name: `identify` finds them.
    const mayBeNew = persons.filter((person) => namesOf(person).some((alias) => !known.has(aliasKey(person.businessId, alias))));
    const newIds = await this.idsFor(tx, mayBeNew.length);
    const changes = new Changes(known, newIds);
    const ids = persons.map((person) => changes.place(person));
    await this.apply(tx, changes);
    return ids;
  }

  /** As `of`, in a transaction of its own that does not wait for the disk: it is there with the next commit that does. */
  async ofRecipients(db: Database, persons: Person[]): Promise<number[]> {
    const numbers = persons.flatMap(onlyNumber);
    if (numbers.length === persons.length) return this.store.open(db.relaxed, numbers);
    return db.transaction((tx) => this.of(tx, persons), { durable: false });
  }

  /**
   * A person has another number or user id now (platform §4.4, system messages): what was theirs stays theirs, under the new
   * names too. Who is known by the new user id is the same person; by the new number only if no user id says otherwise.
   */
  async renamed(tx: Tx, { before, now }: Renaming): Promise<void> {
    const { businessId } = before;
    const newNames = [now.userId, now.phone].filter((name) => name !== null);
    const names = [...namesOf(before), ...newNames].map((alias) => ({ businessId, alias }));
    const known = await this.store.find(tx, names);
    const of = (alias: string) => known.get(aliasKey(businessId, alias));
    const { conversation } = identify(before, of);
    if (!conversation) return;
    const ids = new Set([conversation.id]);
    for (const name of newNames) {
      const other = of(name);
      if (other === undefined || ids.has(other.id)) continue;
      ids.add(other.id);
      if (name === now.userId || other.userId === null) await this.store.merge(tx, conversation.id, other.id);
      else await this.store.leave(tx, [{ conversationId: other.id, phone: name }]);
    }
    await this.store.point(
      tx,
      newNames.map((alias) => ({ businessId, alias, conversationId: conversation.id })),
    );
    await this.store.rename(tx, conversation.id, now);
  }

  private async idsFor(tx: Tx, count: number): Promise<number[]> {
    return count === 0 ? [] : this.store.reserveIds(tx, count);
  }

  private async apply(tx: Tx, changes: Changes): Promise<void> {
    if (changes.created.length > 0) await this.store.create(tx, changes.created);
    if (changes.pointed.length > 0) await this.store.point(tx, changes.pointed);
    for (const { id, userId } of changes.learned) await this.store.learnUserId(tx, id, userId);
    if (changes.left.length > 0) await this.store.leave(tx, changes.left);
    for (const { kept, gone } of changes.merged) await this.store.merge(tx, kept, gone);
  }
}

/** The one name of a person who has no other: such persons need one round trip. */
function onlyNumber({ businessId, phone, userId, waId }: Person): Alias[] {
  return phone !== null && userId === null && (waId === null || waId === phone) ? [{ businessId, alias: phone }] : [];
}

/** What a batch of persons changes, worked out in memory so that the same stranger twice in a batch is one person. */
class Changes {
  readonly created: { id: number; businessId: number; phone: string | null; userId: string | null }[] = [];
  readonly pointed: (Alias & { conversationId: number })[] = [];
  readonly learned: { id: number; userId: string }[] = [];
  readonly merged: { kept: number; gone: number }[] = [];
  readonly left: { conversationId: number; phone: string }[] = [];

  constructor(
    private readonly known: Map<string, KnownConversation>,
    private readonly newIds: number[],
  ) {}

  place(person: Person): number {
    const { businessId } = person;
    const found = identify(person, (alias) => this.known.get(aliasKey(businessId, alias)));
    const conversation = found.conversation ?? this.create(person);
    if (found.merge) this.merge(conversation, found.merge);
    if (found.conversation && found.learnedUserId !== null) {
      conversation.userId = found.learnedUserId;
      this.learned.push({ id: conversation.id, userId: found.learnedUserId });
    }
    for (const alias of found.newAliases) {
      const holder = this.known.get(aliasKey(businessId, alias));
      if (holder && holder.id !== conversation.id) this.left.push({ conversationId: holder.id, phone: alias });
      this.known.set(aliasKey(businessId, alias), conversation);
      this.pointed.push({ businessId, alias, conversationId: conversation.id });
    }
    return conversation.id;
  }

  private create({ businessId, phone, userId, waId }: Person): KnownConversation {
    const id = this.newIds.shift();
    if (id === undefined) throw new Error('more new conversations than ids were reserved for');
    this.created.push({ id, businessId, phone: phone ?? waId, userId });
    return { id, userId };
  }

  private merge(kept: KnownConversation, gone: KnownConversation): void {
    kept.userId ??= gone.userId;
    this.merged.push({ kept: kept.id, gone: gone.id });
    for (const [key, conversation] of this.known) if (conversation.id === gone.id) this.known.set(key, kept);
  }
}
