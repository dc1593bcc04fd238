import { notifications } from '@mantine/notifications';
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router';
import { isLoggedOut, queries } from './api/client';
import { meQuery } from './api/session';
import { mayOpen, pagesOf } from './navigation';
import { Shell } from './shell';
import { NotFoundPage } from './components/not-found-page';
import { loadPhoneFormats } from './components/phone-shown';
import { ErrorPage } from './components/load-failed';
import { PageError } from './components/page-error';
import { loadPage } from './load-page';

function UnknownAddress() {
  return (
    <main>
      <NotFoundPage />
    </main>
  );
}

const root = createRootRoute({ component: Outlet, notFoundComponent: UnknownAddress, errorComponent: ErrorPage });

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: ({ next, problem, choose }: Record<string, unknown>): { next?: string; problem?: string; choose?: true } => ({
    ...(typeof next === 'string' && { next }),
    ...(typeof problem === 'string' && { problem }),
    ...(choose === true && { choose }),
  }),
  component: lazyRouteComponent(() => import('./pages/login/login-page'), 'LoginPage'),
});

const password = createRoute({
  getParentRoute: () => root,
  path: '/password',
  component: lazyRouteComponent(() => import('./pages/password/set-password-page'), 'SetPasswordPage'),
});

const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Shell,
  beforeLoad: async ({ location, preload }) => {
    const loggedIn = queries.ensureQueryData(meQuery).catch((error: unknown) => {
      // The query already redirects to the login page; render nothing until then.
      if (isLoggedOut(error)) return new Promise<never>(() => undefined);
      throw error;
    });
    const formats = loadPhoneFormats();
    // A failure counts below, if a page opens.
    formats.catch(() => undefined);
    const { role } = (await loggedIn).user;
    if (mayOpen(role, location.pathname)) return { formats };
    // The home address leads everybody to their first page: an agent to the inbox, an operator to the operator's page.
    if (location.pathname !== '/' && !preload)
      notifications.show({
        color: 'yellow',
        title: 'Your role may not open this page.',
        message: 'Ask an owner or the operator if you need it.',
        autoClose: 8_000,
      });
    throw redirect({ to: pagesOf(role)[0]?.to ?? '/account' });
  },
  // Beside the code of the page, which a slow line would otherwise begin to load afterwards.
  loader: ({ context }) => context.formats,
});

const page = <P extends string>(path: P, load: () => Promise<Record<string, unknown>>, name: string) => {
  const component = lazyRouteComponent(() => loadPage(load) as Promise<Record<string, () => React.ReactNode>>, name);
  return createRoute({
    getParentRoute: () => inside,
    path,
    validateSearch: (search: Record<string, unknown>): Record<string, string | undefined> =>
      Object.fromEntries(Object.entries(search).map(([key, value]) => [key, value === undefined ? undefined : String(value)])),
    component,
    errorComponent: function Failed({ error, reset }) {
      // A page that did not load keeps its error until it is loaded again.
      const retry = async () => {
        await component.preload?.();
        // The data that it crashed on would let it crash again.
        queries.removeQueries({ type: 'inactive' });
        reset();
      };
      return <PageError error={error} retry={() => void retry()} />;
    },
  });
};

const pages = [
  page('/', () => import('./pages/home/home-page'), 'HomePage'),
  page('/messages', () => import('./pages/messages/messages-page'), 'MessagesPage'),
  page('/inbox', () => import('./pages/inbox/inbox-page'), 'InboxPage'),
  page('/templates', () => import('./pages/templates/templates-page'), 'TemplatesPage'),
  page('/broadcasts', () => import('./pages/broadcasts/broadcasts-page'), 'BroadcastsPage'),
  page('/webhooks', () => import('./pages/webhooks/webhooks-page'), 'WebhooksPage'),
  page('/events', () => import('./pages/events/events-page'), 'EventsPage'),
  page('/requests', () => import('./pages/request-log/request-log-page'), 'RequestLogPage'),
  page('/api-keys', () => import('./pages/api-keys/api-keys-page'), 'ApiKeysPage'),
  page('/auto-reply', () => import('./pages/auto-reply/auto-reply-page'), 'AutoReplyPage'),
  page('/usage', () => import('./pages/usage/usage-page'), 'UsagePage'),
  page('/settings/connection', () => import('./pages/connection/connection-page'), 'ConnectionPage'),
  page('/settings', () => import('./pages/settings/settings-page'), 'SettingsPage'),
  page('/account', () => import('./pages/account/account-page'), 'AccountPage'),
  page('/audit', () => import('./pages/audit/audit-page'), 'AuditPage'),
  page('/people', () => import('./pages/people/people-page'), 'PeoplePage'),
  page('/operator/business', () => import('./pages/operator/business-page'), 'BusinessPage'),
  page('/operator/dead-letters', () => import('./pages/operator/dead-letters-page'), 'DeadLettersPage'),
  page('/operator/audit', () => import('./pages/audit/audit-page'), 'OperatorAuditPage'),
  page('/operator/rate-card', () => import('./pages/rate-card/rate-card-page'), 'RateCardPage'),
  page('/operator', () => import('./pages/operator/operator-page'), 'OperatorPage'),
];

export const router = createRouter({ routeTree: root.addChildren([login, password, inside.addChildren(pages)]), defaultPreload: 'intent' });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
