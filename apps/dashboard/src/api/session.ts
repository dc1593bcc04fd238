import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, ask, type Schemas } from './client';

export type Me = Schemas['Me'];

export const meQuery = { queryKey: ['me'], queryFn: () => ask(api.GET('/api/client/me')), staleTime: 10_000, retry: false };

/** Who is logged in; pages are shown only to somebody who is. */
export function useMe(): Me {
  const { data } = useQuery(meQuery);
  if (!data) throw new Error('nobody is logged in');
  return data;
}

export function useLogout(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await api.POST('/api/client/logout', { headers: { 'content-type': 'application/json' } });
    queries.clear();
    window.location.assign('/login');
  };
}
