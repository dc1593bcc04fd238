import { startDashboard, type Dashboard, type Session } from '../../test/dashboard.fixture';
import { rolesOf, ROUTE_ROLES } from './route-roles';
import { ROLES, type Role } from './session-user';

const LOGOUT = 'POST /api/client/logout';
/** Logout comes last, because it ends the session. */
const ROUTES = [...Object.keys(ROUTE_ROLES).filter((route) => route !== LOGOUT), LOGOUT].map(
  (route) => route.split(' ') as [string, string],
);
const MISSING = '999999999';

describe('the roles of every route (decision 370)', () => {
  let dashboard: Dashboard;
  let business: number;
  beforeAll(async () => {
    dashboard = await startDashboard();
    business = await dashboard.business();
  });
  afterAll(() => dashboard.close());

  /** Calls a route so that it changes nothing: with a field and ids that do not exist. */
  async function call(by: Pick<Session, 'get' | 'post' | 'put' | 'patch' | 'delete'>, method: string, url: string) {
    const path = url.replace(':phone', '12015550100').replace(/:\w+|\*/g, MISSING);
    const verb = method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
    return by[verb](verb === 'get' ? `${path}?no_such_field=1` : path, { no_such_field: 1 });
  }

  it('stand in one table, which has every registered route of the two APIs and no other', () => {
    const registered = dashboard.routes.filter((route) => /^(?!HEAD|OPTIONS)\w+ \/api\/(client|admin)\//.test(route));
    expect(registered.sort()).toEqual(Object.keys(ROUTE_ROLES).sort());
  });

  it.each(ROLES)('hold for a session of the role %s', async (role) => {
    const session = await dashboard.session(role, role === 'operator' ? null : business);
    for (const [method, url] of ROUTES) {
      const allowed = rolesOf(method, url);
      const { status, body } = await call(session, method, url);
      if (allowed && !allowed.includes(role)) {
        expect([method, url, body]).toEqual([
          method,
          url,
          { success: false, error_code: 'PERMISSION_DENIED', error: `Only ${allowed.join(' or ')} may do this.` },
        ]);
        expect([method, url, status]).toEqual([method, url, 403]);
      } else {
        expect([method, url, [401, 403].includes(status) ? body : null]).toEqual([method, url, null]);
      }
    }
  });

  it('need a session, except to log in and to set a password', async () => {
    for (const [method, url] of ROUTES) {
      const { status } = await call(dashboard.visitor, method, url);
      expect([method, url, status === 401]).toEqual([method, url, rolesOf(method, url) !== null]);
    }
  });

  const mayNot = (role: Role) =>
    ROUTES.filter(([method, url]) => url.startsWith('/api/client/') && rolesOf(method, url)?.includes(role) === false).map((route) =>
      route.join(' '),
    );

  it('additions §7: managers do all but change the team, keys and the connection, and neither read the audit log nor hand over or erase people', () => {
    expect(mayNot('owner')).toEqual([]);
    expect(mayNot('manager')).toEqual(
      expect.arrayContaining(['POST /api/client/team', 'PUT /api/client/connection', 'GET /api/client/audit']),
    );
    for (const route of mayNot('manager'))
      expect(route).toMatch(/(POST|PUT|PATCH|DELETE) \/api\/client\/(team|api-keys|connection)|audit|people|erasures/);
  });

  it('additions §7: agents have the inbox, the log, templates and their own account', () => {
    const may = ROUTES.filter(([method, url]) => rolesOf(method, url)?.includes('agent')).map(([, url]) => url.split('/')[3]);
    const topics = [
      'auto-reply',
      'conversations',
      'events',
      'labels',
      'logout',
      'me',
      'media',
      'messages',
      'quick-replies',
      'suppressions',
      'team',
      'templates',
    ];
    expect([...new Set(may)].sort()).toEqual(topics);
    expect(mayNot('agent')).toEqual(expect.arrayContaining(['POST /api/client/broadcasts', 'DELETE /api/client/suppressions/:phone']));
  });
});
