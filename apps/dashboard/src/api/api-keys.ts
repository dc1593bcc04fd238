import { api, request, type Schemas } from './client';

export type ApiKey = Schemas['ApiKeys']['api_keys'][number];

/** One entry for a key and those that replaced it, under the id that their messages carry and the name of the newest. */
export function keyChains(keys: ApiKey[]): { id: number; name: string }[] {
  const newest = new Map<number, ApiKey>();
  for (const key of keys) if (key.id >= (newest.get(key.sends_as)?.id ?? 0)) newest.set(key.sends_as, key);
  return [...newest].map(([id, { name }]) => ({ id, name }));
}

/** The business's API keys with today's usage. */
export const keysQuery = { queryKey: ['api-keys'], queryFn: () => request(api.GET('/api/client/api-keys')) };
