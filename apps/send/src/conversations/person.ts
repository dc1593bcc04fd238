import { userIdOf } from '@mgw/phone';

/** One person as a message names them; at least one name is given. All are names of the same person in one name space: digits never look like a user id. */
export interface Person {
  businessId: number;
  /** Digits: the phone the person writes from, or the number that was dialled. */
  phone: string | null;
  /** Business-scoped user id (platform §4.7). */
  userId: string | null;
  /** The number the platform really wrote to, which may differ from the one dialled (platform §0.11). */
  waId: string | null;
}

/** By the one name that was dialled or asked for: digits, or a user id. */
export function personByAlias(businessId: number, name: string): Person {
  const userId = userIdOf(name);
  return { businessId, phone: userId === null ? name : null, userId, waId: null };
}

/** What is known of a conversation that one of the names leads to. */
export interface KnownConversation {
  id: number;
  userId: string | null;
}

/** A person's other names from now on, as the platform tells them; null is what has not changed. */
export interface IdentityChange {
  before: Person;
  now: { phone: string | null; userId: string | null };
}

/** What must change so that every name of a person leads to one conversation. */
export interface Identification {
  /** Null: nobody by any of these names is known. */
  conversation: KnownConversation | null;
  /** Names that do not lead to it yet. */
  newAliases: string[];
  /** A second conversation that turned out to be with the same person. */
  merge: KnownConversation | null;
  /** The user id to remember, when it was not known. */
  newUserId: string | null;
}

export function aliasesOf({ userId, phone, waId }: Person): string[] {
  return [...new Set([userId, phone, waId].filter((name): name is string => name !== null && name !== ''))];
}

/**
 * One conversation per business and person (product decision 28). The user id is the identity and phones are its aliases
 * (platform §4.7): a phone that was known with another user id now belongs to someone else and moves to them. A user id never
 * does: what names one that its person has changed since is late (platform §4.2), and takes nothing from anybody.
 */
export function identify(person: Person, known: (alias: string) => KnownConversation | undefined): Identification {
  const own = person.userId === null ? undefined : known(person.userId);
  const isLate = own !== undefined && own.userId !== person.userId;
  const isSomeoneElse = (found: KnownConversation) =>
    found.id !== own?.id && person.userId !== null && found.userId !== null && found.userId !== person.userId;
  const found = aliasesOf(person)
    .map(known)
    .filter((entry): entry is KnownConversation => entry !== undefined && !isSomeoneElse(entry))
    .sort((a, b) => a.id - b.id);
  // The oldest stays: its id is the one customers' servers have seen longest.
  const conversation = found[0] ?? null;
  const merge = found.find(({ id }) => id !== conversation?.id) ?? null;
  return {
    conversation,
    merge,
    newAliases: aliasesOf(person).filter((name) => {
      const holder = known(name);
      return holder === undefined || (holder.id !== conversation?.id && !(isLate && isSomeoneElse(holder)));
    }),
    newUserId: own === undefined ? person.userId : null,
  };
}
