import { Type, type Static } from '@sinclair/typebox';
import { phoneOfUserId, phoneOfWaId } from './person-name';

/** Numbers by user id. */
export const IdentitiesState = Type.Record(Type.String(), Type.String());

const MAX = 10_000;

/** Finds the one name of a person who is known by a number, its wa_id and user ids: windows, phones and limits belong to people (decision 769). */
export class Identities {
  /** From messages that named a number and a user id, the newest last. */
  private phones = new Map<string, string>();

  link(userId: string, phone: string): void {
    this.phones.delete(userId);
    this.phones.set(userId, phone);
    if (this.phones.size > MAX) this.phones.delete(this.phones.keys().next().value as string);
  }

  /** @returns the dialled number if it is known, else the user id */
  personOf(name: string): string {
    return phoneOfWaId(this.phones.get(name) ?? phoneOfUserId(name) ?? name);
  }

  clear(): void {
    this.phones.clear();
  }

  state(): Static<typeof IdentitiesState> {
    return Object.fromEntries(this.phones);
  }

  restore(state: Static<typeof IdentitiesState>): void {
    this.phones = new Map(Object.entries(state));
  }
}
