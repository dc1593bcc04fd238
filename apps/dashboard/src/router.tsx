import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router';
import { isLoggedOut, queries } from './api/client';
import { meQuery } from './api/session';
import { Missing, RouteFailed } from './components/states';
import { Shell } from './shell';

const root = createRootRoute({ component: Outlet, notFoundComponent: Missing, errorComponent: RouteFailed });

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: ({ next }: Record<string, unknown>): { next?: string } => (typeof next === 'string' ? { next } : {}),
  component: lazyRouteComponent(() => import('./pages/login'), 'LoginPage'),
});

const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Shell,
  beforeLoad: async ({ location }) => {
    const me = await queries.ensureQueryData(meQuery).catch((error: unknown) => {
      // The query has sent the page to the login: nothing is shown until it is there.
      if (isLoggedOut(error)) return new Promise<never>(() => undefined);
      throw error;
    });
    // Operators have no business of their own: their page is the only one for them, and for nobody else.
    const isTheirs = location.pathname.startsWith('/operator');
    if ((me.business === null) !== isTheirs) throw redirect({ to: isTheirs ? '/' : '/operator' });
  },
});

const page = <P extends string>(path: P, load: () => Promise<Record<string, unknown>>, name: string) =>
  createRoute({
    getParentRoute: () => inside,
    path,
    validateSearch: (search: Record<string, unknown>): Record<string, string | undefined> =>
      Object.fromEntries(Object.entries(search).map(([key, value]) => [key, value === undefined ? undefined : String(value)])),
    component: lazyRouteComponent(load as () => Promise<Record<string, () => React.ReactNode>>, name),
  });

const pages = [
  page('/', () => import('./pages/home'), 'HomePage'),
  page('/messages', () => import('./pages/messages'), 'MessagesPage'),
  page('/inbox', () => import('./pages/inbox'), 'InboxPage'),
  page('/templates', () => import('./pages/templates'), 'TemplatesPage'),
  page('/broadcasts', () => import('./pages/broadcasts'), 'BroadcastsPage'),
  page('/webhooks', () => import('./pages/webhooks'), 'WebhooksPage'),
  page('/api-keys', () => import('./pages/api-keys'), 'ApiKeysPage'),
  page('/auto-reply', () => import('./pages/auto-reply'), 'AutoReplyPage'),
  page('/usage', () => import('./pages/usage'), 'UsagePage'),
  page('/settings', () => import('./pages/settings'), 'SettingsPage'),
  page('/operator', () => import('./pages/operator'), 'OperatorPage'),
];

export const router = createRouter({ routeTree: root.addChildren([login, inside.addChildren(pages)]), defaultPreload: 'intent' });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
