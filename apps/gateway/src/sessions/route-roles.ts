import type { Role } from './session-user';

type Route = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /api/${'client' | 'admin'}/${string}`;

const OWNERS: Role[] = ['owner'];
const MANAGERS: Role[] = ['owner', 'manager'];
const TEAM: Role[] = ['owner', 'manager', 'agent'];
/** Routes of one's own account, which work also for people who have to set up two-step login. */
export const EVERYBODY: Role[] = ['owner', 'manager', 'agent', 'operator'];
const OPERATORS: Role[] = ['operator'];

/**
 * The roles that may call each route of the dashboard and operator API; null needs no session. RolesGuard, the OpenAPI document, the
 * dashboard's pages and the tests read this table (decision 370). RolesGuard refuses a route that is missing here.
 */
export const ROUTE_ROLES: Record<Route, Role[] | null> = {
  'POST /api/client/login': null,
  'GET /api/client/login/options': null,
  'GET /api/client/oidc': null,
  'GET /api/client/oidc/callback': null,
  'POST /api/client/password': null,
  'POST /api/client/password/forgotten': null,
  'POST /api/client/logout': EVERYBODY,
  'GET /api/client/me': EVERYBODY,
  'PUT /api/client/me/password': EVERYBODY,
  'GET /api/client/me/sessions': EVERYBODY,
  'DELETE /api/client/me/sessions/:id': EVERYBODY,
  'GET /api/client/me/totp': EVERYBODY,
  'POST /api/client/me/totp': EVERYBODY,
  'PUT /api/client/me/totp': EVERYBODY,
  'DELETE /api/client/me/totp': EVERYBODY,

  'GET /api/client/conversations': TEAM,
  'GET /api/client/conversations/:id/messages': TEAM,
  'POST /api/client/conversations/:id/messages': TEAM,
  'POST /api/client/conversations/:id/reactions': TEAM,
  'GET /api/client/events/stream': TEAM,
  'POST /api/client/media': TEAM,
  'GET /api/client/media/:media_id': TEAM,
  'GET /api/client/messages': TEAM,
  'GET /api/client/messages/*': TEAM,
  'GET /api/client/suppressions/:phone': TEAM,
  'GET /api/client/team': TEAM,
  'GET /api/client/templates': TEAM,
  'POST /api/client/templates/sync': TEAM,

  'GET /api/client/api-keys': MANAGERS,
  'GET /api/client/auto-reply': MANAGERS,
  'PUT /api/client/auto-reply': MANAGERS,
  'POST /api/client/auto-reply/try': MANAGERS,
  'GET /api/client/auto-reply/replies': MANAGERS,
  'GET /api/client/broadcasts': MANAGERS,
  'POST /api/client/broadcasts': MANAGERS,
  'POST /api/client/broadcasts/check': MANAGERS,
  'GET /api/client/broadcasts/:id': MANAGERS,
  'GET /api/client/broadcasts/:id/recipients': MANAGERS,
  'POST /api/client/broadcasts/:id/cancel': MANAGERS,
  'POST /api/client/broadcasts/:id/pause': MANAGERS,
  'POST /api/client/broadcasts/:id/resume': MANAGERS,
  'GET /api/client/connection': MANAGERS,
  'GET /api/client/settings': MANAGERS,
  'PUT /api/client/settings': MANAGERS,
  'GET /api/client/suppressions': MANAGERS,
  'POST /api/client/suppressions/import': MANAGERS,
  'PUT /api/client/suppressions/:phone': MANAGERS,
  'DELETE /api/client/suppressions/:phone': MANAGERS,
  'GET /api/client/usage': MANAGERS,
  'GET /api/client/webhooks': MANAGERS,
  'POST /api/client/webhooks': MANAGERS,
  'PUT /api/client/webhooks/:id': MANAGERS,
  'DELETE /api/client/webhooks/:id': MANAGERS,
  'POST /api/client/webhooks/:id/recover': MANAGERS,
  'GET /api/client/webhooks/:id/recover': MANAGERS,
  'DELETE /api/client/webhooks/:id/recover': MANAGERS,
  'GET /api/client/webhooks/:id/deliveries': MANAGERS,
  'GET /api/client/webhooks/:id/deliveries/:delivery_id': MANAGERS,
  'POST /api/client/webhooks/:id/deliveries/:delivery_id/redeliver': MANAGERS,
  'POST /api/client/webhooks/:id/test': MANAGERS,

  'POST /api/client/api-keys': OWNERS,
  'PATCH /api/client/api-keys/:id': OWNERS,
  'POST /api/client/api-keys/:id/rotate': OWNERS,
  'DELETE /api/client/api-keys/:id': OWNERS,
  'GET /api/client/audit': OWNERS,
  'PUT /api/client/connection': OWNERS,
  'GET /api/client/erasures': OWNERS,
  'GET /api/client/people/:phone/export': OWNERS,
  'DELETE /api/client/people/:phone': OWNERS,
  'POST /api/client/team': OWNERS,
  'PATCH /api/client/team/:id': OWNERS,
  'POST /api/client/team/:id/reset': OWNERS,
  'DELETE /api/client/team/:id': OWNERS,
  'DELETE /api/client/team/:id/totp': OWNERS,

  'GET /api/admin/api-keys': OPERATORS,
  'PATCH /api/admin/api-keys/:id': OPERATORS,
  'GET /api/admin/audit': OPERATORS,
  'GET /api/admin/businesses': OPERATORS,
  'POST /api/admin/businesses': OPERATORS,
  'PATCH /api/admin/businesses/:id': OPERATORS,
  'GET /api/admin/businesses/:id': OPERATORS,
  'GET /api/admin/businesses/:id/users': OPERATORS,
  'GET /api/admin/backlogs': OPERATORS,
  'GET /api/admin/dead-letters': OPERATORS,
  'GET /api/admin/dead-letters/:service/:id': OPERATORS,
  'POST /api/admin/dead-letters/:service/:id/replay': OPERATORS,
  'DELETE /api/admin/dead-letters/:service/:id': OPERATORS,
  'GET /api/admin/failing-webhooks': OPERATORS,
  'POST /api/admin/businesses/:id/users': OPERATORS,
  'GET /api/admin/limits': OPERATORS,
  'PUT /api/admin/limits': OPERATORS,
  'GET /api/admin/overview': OPERATORS,
  'POST /api/admin/users/:id/reset': OPERATORS,
  'DELETE /api/admin/users/:id/totp': OPERATORS,
};

/** @param url as Fastify spells it, with `:id` and `*`. @returns undefined for a route that is missing in the table */
export const rolesOf = (method: string, url: string): Role[] | null | undefined => ROUTE_ROLES[`${method} ${url}` as Route];
