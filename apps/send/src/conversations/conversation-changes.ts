import { aliasKey, type Alias } from './conversation.store';
import { identify, type KnownConversation, type Person } from './person';

/** Computes the changes of a batch in memory, so that a new person who appears twice gets one conversation. */
export class ConversationChanges {
  readonly created: { id: number; businessId: number; phone: string | null; userId: string | null }[] = [];
  readonly aliases: (Alias & { conversationId: number })[] = [];
  readonly userIds: { id: number; userId: string }[] = [];
  readonly merged: { kept: number; gone: number }[] = [];
  /** Numbers of conversations that may have none yet. The database clears phones before it sets these. */
  phones: { conversationId: number; phone: string }[] = [];
  readonly clearedPhones: { conversationId: number; phone: string }[] = [];

  constructor(
    private readonly known: Map<string, KnownConversation>,
    private readonly newIds: number[],
  ) {}

  resolve(person: Person): number {
    const { businessId } = person;
    const found = identify(person, (alias) => this.known.get(aliasKey(businessId, alias)));
    const conversation = found.conversation ?? this.create(person);
    if (found.merge) this.merge(conversation, found.merge);
    if (found.conversation && found.newUserId !== null) {
      conversation.userId = found.newUserId;
      this.userIds.push({ id: conversation.id, userId: found.newUserId });
    }
    for (const alias of found.newAliases) {
      const holder = this.known.get(aliasKey(businessId, alias));
      if (holder && holder.id !== conversation.id) this.clearPhone(holder.id, alias);
      this.known.set(aliasKey(businessId, alias), conversation);
      this.aliases.push({ businessId, alias, conversationId: conversation.id });
    }
    // Only the present user id proves that the number is the person's own.
    const phone = person.phone ?? person.waId;
    const isOwn = person.userId !== null && person.userId === conversation.userId;
    if (found.conversation && isOwn && phone !== null && found.newAliases.includes(phone))
      this.phones.push({ conversationId: conversation.id, phone });
    return conversation.id;
  }

  /** Follows the merges of the batch, in their order. */
  keptOf(id: number): number {
    return this.merged.reduce((current, { kept, gone }) => (current === gone ? kept : current), id);
  }

  private clearPhone(conversationId: number, phone: string): void {
    this.clearedPhones.push({ conversationId, phone });
    this.phones = this.phones.filter((given) => given.conversationId !== conversationId || given.phone !== phone);
  }

  private create({ businessId, phone, userId, waId }: Person): KnownConversation {
    const id = this.newIds.shift();
    if (id === undefined) throw new Error('more new conversations than reserved ids');
    this.created.push({ id, businessId, phone: phone ?? waId, userId });
    return { id, userId };
  }

  private merge(kept: KnownConversation, gone: KnownConversation): void {
    kept.userId ??= gone.userId;
    this.merged.push({ kept: kept.id, gone: gone.id });
    for (const [key, conversation] of this.known) if (conversation.id === gone.id) this.known.set(key, kept);
  }
}
