import { aliasKey } from './conversation.store';
import { aliasesOf, type Person } from './person';

/** Names that are remembered; beyond this the oldest is dropped. */
const MOST_NAMES = 10_000;

/** Remembers the conversations that people's names led to. They may have changed since, so a caller compares them in its statement. */
export class KnownConversations {
  private readonly byName = new Map<string, number>();

  /** @returns undefined unless all names of the person led to one conversation */
  find(person: Person): number | undefined {
    const [first, ...others] = aliasesOf(person).map((alias) => this.byName.get(aliasKey(person.businessId, alias)));
    return others.every((id) => id === first) ? first : undefined;
  }

  remember(person: Person, conversationId: number): void {
    for (const alias of aliasesOf(person)) {
      const key = aliasKey(person.businessId, alias);
      // The newest name comes last.
      this.byName.delete(key);
      this.byName.set(key, conversationId);
    }
    for (const key of this.byName.keys()) {
      if (this.byName.size <= MOST_NAMES) break;
      this.byName.delete(key);
    }
  }
}
