import { useQuery } from '@tanstack/react-query';
import routeRoles from './route-roles.json';
import { api, request, notifyError, isLoggedOut, type Schemas } from './client';

export type Me = Schemas['Me'];
export type Role = Me['user']['role'];
/** A method and path with roles, such as `PUT /api/client/settings`. */
export type Route = keyof typeof routeRoles;

/** The id of the user that this tab knows to be logged in; null before the first response. */
let known: number | null = null;
/** Tabs share one cookie, so each login and logout is announced to the other tabs. */
const logins = new BroadcastChannel('logins');
logins.onmessage = ({ data }: MessageEvent<number | null>) => {
  // On the login page too, where drafts wait for their person's next login.
  if (data === null) sessionStorage.clear();
  detectUserChange(data);
};

/** The user logged out or another one logged in: reload, so that nothing is saved in their name, and leave none of the user's drafts. */
function detectUserChange(id: number | null): void {
  if (known === null || id === known) return;
  sessionStorage.clear();
  window.location.assign('/');
}

function announceLogin(userId: number | null): void {
  logins.postMessage(userId);
}

export const meQuery = {
  queryKey: ['me'],
  queryFn: async () => {
    const me = await request(api.GET('/api/client/me'));
    detectUserChange(me.user.id);
    // Every login ends with a page load, even one by a provider.
    if (known === null) announceLogin(me.user.id);
    known = me.user.id;
    return me;
  },
  staleTime: 10_000,
  retry: false,
};

/** The logged-in user and business. Pages render only with a session. */
export function useMe(): Me {
  const { data } = useQuery(meQuery);
  if (!data) throw new Error('nobody is logged in');
  return data;
}

/** Whether the role may call the route, by the gateway's own table: pages offer what it accepts. */
export const mayCall = (role: Role, route: Route): boolean => (routeRoles[route] as string[]).includes(role);

/** Whether the logged-in user may call the route. */
export function useMayCall(route: Route): boolean {
  return mayCall(useMe().user.role, route);
}

export function useLogout(): () => Promise<void> {
  return async () => {
    try {
      await request(api.POST('/api/client/logout'));
    } catch (error) {
      // The session still exists, so show the failure instead of the login page.
      if (!isLoggedOut(error)) return notifyError(error);
    }
    sessionStorage.clear();
    announceLogin(null);
    window.location.assign('/login');
  };
}
