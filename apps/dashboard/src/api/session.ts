import { useQuery } from '@tanstack/react-query';
import { api, ask, complain, isLoggedOut, type Schemas } from './client';

export type Me = Schemas['Me'];

/** Who is logged in as far as this tab knows: the id of a user, null before that. */
let known: number | null = null;
/** Tabs share one cookie. Each login and logout tells the others whose it is now. */
const logins = new BroadcastChannel('logins');
logins.onmessage = ({ data }: MessageEvent<number | null>) => noteUser(data);

/** What this tab shows must not be saved as somebody else: it begins anew. */
function noteUser(id: number | null): void {
  if (known !== null && id !== known) window.location.assign('/');
}

export function tellLogin(userId: number | null): void {
  logins.postMessage(userId);
}

export const meQuery = {
  queryKey: ['me'],
  queryFn: async () => {
    const me = await ask(api.GET('/api/client/me'));
    noteUser(me.user.id);
    known = me.user.id;
    return me;
  },
  staleTime: 10_000,
  retry: false,
};

/** Who is logged in; pages are shown only to somebody who is. */
export function useMe(): Me {
  const { data } = useQuery(meQuery);
  if (!data) throw new Error('nobody is logged in');
  return data;
}

export function useLogout(): () => Promise<void> {
  return async () => {
    try {
      await ask(api.POST('/api/client/logout', { headers: { 'content-type': 'application/json' } }));
    } catch (error) {
      // Whose session is not ended must not believe that it is.
      if (!isLoggedOut(error)) return complain(error);
    }
    tellLogin(null);
    window.location.assign('/login');
  };
}
