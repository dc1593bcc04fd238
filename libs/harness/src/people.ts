import { erasePerson, exportPerson, type PeopleService, type PersonRef, type ResponseOf } from '@mgw/contracts';
import type { RpcClient } from '@mgw/rpc';

/** A number, and when it passed from the first person to the second. */
export const PASSED = { number: '919876543210', at: '2026-01-10T00:00:00.000Z' };
/** The first person, in conversation 1, who has no number now. */
export const FORMER_OWNER: PersonRef = {
  business_id: 1,
  names: ['IN.1'],
  conversation_ids: [1],
  name_periods: [
    { name: 'IN.1', since: null, until: null },
    { name: PASSED.number, since: null, until: PASSED.at },
  ],
};
/** The second person, in conversation 2. */
export const OWNER: PersonRef = {
  business_id: 1,
  names: ['IN.2', PASSED.number],
  conversation_ids: [2],
  name_periods: [
    { name: 'IN.2', since: null, until: null },
    { name: PASSED.number, since: PASSED.at, until: null },
  ],
};

/** @returns all rows that the service exports about a person */
export async function exportedRows(rpc: RpcClient, service: PeopleService, person: PersonRef): Promise<Record<string, unknown>[]> {
  const all: Record<string, unknown>[] = [];
  let cursor: string | null = null;
  do {
    const page: ResponseOf<ReturnType<typeof exportPerson>> = await rpc.call(exportPerson(service), { ...person, cursor });
    all.push(...page.rows);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return all;
}

/** Runs all steps of an erasure once. @returns the most that a step found */
export async function eraseFrom(
  rpc: RpcClient,
  service: PeopleService,
  { hash_key = 'k'.repeat(32), ...person }: PersonRef & { hash_key?: string; requested_at?: string },
): Promise<number> {
  let most = 0;
  let cursor: string | null = null;
  do {
    const response: ResponseOf<ReturnType<typeof erasePerson>> = await rpc.call(erasePerson(service), { ...person, hash_key, cursor });
    most = Math.max(most, response.found);
    cursor = response.next_cursor;
  } while (cursor !== null);
  return most;
}
