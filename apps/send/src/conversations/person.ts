import { userIdOf } from '@mgw/phone';

/** A person as a message identifies them, by at least one alias. Phones and user ids share one alias space: digits never look like a user id. */
export interface Person {
  businessId: number;
  /** Digits: the phone that the person writes from, or the number that the send request names. */
  phone: string | null;
  /** Business-scoped user id (platform §4.7). */
  userId: string | null;
  /** The number that the platform wrote to, which may differ from the requested one (platform §0.11). */
  waId: string | null;
}

/** @param name digits or a user id */
export function personByAlias(businessId: number, name: string): Person {
  const userId = userIdOf(name);
  return { businessId, phone: userId === null ? name : null, userId, waId: null };
}

/** A conversation that an alias leads to. */
export interface KnownConversation {
  id: number;
  userId: string | null;
}

/** A person's new phone or user id; null for one that has not changed. */
export interface IdentityChange {
  before: Person;
  now: { phone: string | null; userId: string | null };
}

/** The changes after which every alias of a person leads to one conversation. */
interface Identification {
  /** Null if no alias is known. */
  conversation: KnownConversation | null;
  /** Aliases that do not lead to it yet. */
  newAliases: string[];
  /** A second conversation of the same person, to be merged. */
  merge: KnownConversation | null;
  /** The user id to store if it was unknown. */
  newUserId: string | null;
}

export function aliasesOf({ userId, phone, waId }: Person): string[] {
  return [...new Set([userId, phone, waId].filter((alias): alias is string => alias !== null && alias !== ''))];
}

/**
 * Finds the one conversation of a person (decision 28). The user id is the identity and phones are aliases (platform §4.7): a phone that
 * was known with another user id has a new owner and moves to them. A user id never moves. A message with a user id that its person has
 * since changed is late (platform §4.2) and takes no alias from another person. Without a user id, the owner of the `waId` is the person,
 * because the platform writes to that number.
 */
export function identify(person: Person, known: (alias: string) => KnownConversation | undefined): Identification {
  const ownName = person.userId ?? person.waId;
  const own = ownName === null ? undefined : known(ownName);
  const userId = person.userId ?? own?.userId ?? null;
  const isLate = own !== undefined && own.userId !== userId;
  const isSomeoneElse = (found: KnownConversation) =>
    found.id !== own?.id && userId !== null && found.userId !== null && found.userId !== userId;
  const found = aliasesOf(person)
    .map(known)
    .filter((entry): entry is KnownConversation => entry !== undefined && !isSomeoneElse(entry))
    .sort((a, b) => a.id - b.id);
  // Keep the oldest conversation: receivers have known its id the longest.
  const conversation = found[0] ?? null;
  const merge = found.find(({ id }) => id !== conversation?.id) ?? null;
  return {
    conversation,
    merge,
    newAliases: aliasesOf(person).filter((alias) => {
      const holder = known(alias);
      return holder === undefined || (holder.id !== conversation?.id && !(isLate && isSomeoneElse(holder)));
    }),
    newUserId: own === undefined ? person.userId : null,
  };
}
