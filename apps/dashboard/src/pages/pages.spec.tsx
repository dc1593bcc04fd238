/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { notifications } from '@mantine/notifications';
import { spotlight } from '@mantine/spotlight';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { openPage } from '../open-page.fixture';
import { chooseFile, draw, press, Refusal, requests, sent, type } from '../page.fixture';
import { queries } from '../api/client';

const unavailable = () => new Refusal(503, { error: 'A service is unavailable.', error_code: 'SERVICE_UNAVAILABLE' });
const business = { id: 1, name: 'Kaveri', plan: 'Growth', timezone: 'Asia/Kolkata' };
const key = { id: 1, name: 'CRM', revoked_at: null, expires_at: null, used_today: 3, daily_limit: 5, permissions: ['*'] };
const base = (more: Parameters<typeof draw>[1] = {}): Parameters<typeof draw>[1] => ({
  'GET /api/client/me': () => ({ user: { id: 1, name: 'Asha', role: 'owner' }, business }),
  'GET /api/client/conversations': () => ({ conversations: [], counts: { unread: 2 } }),
  'GET /api/client/api-keys': () => ({ api_keys: [key] }),
  'GET /api/client/login/options': () => ({ oidc: false }),
  ...more,
});

/** Opens a page of the dashboard by its address. */
function open(path: string, routes: Parameters<typeof draw>[1] = {}): void {
  openPage(path, base(routes));
}

/** React and the router log the error of a page that crashes. */
function expectErrors(): void {
  jest.spyOn(console, 'error').mockImplementation();
  jest.spyOn(console, 'warn').mockImplementation();
}

describe('pages by their address (decision 430)', () => {
  afterEach(() => jest.restoreAllMocks());

  it('login: explains a login that gets no response, and why one by an organization failed (decision 375)', async () => {
    open('/login?problem=expired&next=/inbox', {
      'GET /api/client/login/options': () => ({ oidc: true }),
      'POST /api/client/login': () => {
        throw new TypeError('Failed to fetch');
      },
    });
    await screen.findByText('The login with your organization took too long. Try again.');
    const link = await screen.findByRole('link', { name: 'Log in with your organization' });
    expect(link.getAttribute('href')).toBe('/api/client/oidc?next=%2Finbox');
    expect(document.title).toBe('Log in · Messaging gateway');
    await type(/^Email/, 'a@b.example');
    fireEvent.change(document.querySelector('input[type=password]') as Element, { target: { value: 'x' } });
    await press('Log in');
    await screen.findByText('The server did not respond. Try again in a moment.');
  });

  const accounts = [
    { user_id: 7, business: 'Kaveri', role: 'owner' },
    { user_id: 9, business: 'Northwind', role: 'agent' },
  ];
  const asksForAccount = () => new Refusal(401, { error: 'Choose one of your accounts.', error_code: 'ACCOUNT_REQUIRED', accounts });

  const enter = async (email: string) => {
    await type(/^Email/, email);
    fireEvent.change(document.querySelector('input[type=password]') as Element, { target: { value: 'x' } });
  };

  /** Logs in with a password that is right for several accounts with two-step login. */
  const openPicker = async () => {
    const asksForCode = () => new Refusal(401, { error: 'Enter the code.', error_code: 'TOTP_REQUIRED' });
    open('/login', {
      'POST /api/client/login': (body) => ((body as { user_id?: number }).user_id === undefined ? asksForAccount() : asksForCode()),
    });
    await enter('a@b.example');
    await press('Log in');
    await screen.findByRole('heading', { name: 'Choose an account' });
  };

  it('login: offers several accounts, then requires the code of the chosen one (decision 709)', async () => {
    expectErrors();
    await openPicker();
    expect(screen.queryByRole('alert')).toBeNull();
    await press(/^Northwind/);
    await type(/^Code/, '123456');
    await press('Log in');
    expect(sent().at(-1)?.body).toEqual({ email: 'a@b.example', password: 'x', user_id: 9, code: '123456' });
  });

  it('login: drops the chosen account when the email changes, and lets the person choose another one', async () => {
    expectErrors();
    await openPicker();
    await press(/^Northwind/);
    await screen.findByLabelText(/^Code/);
    await press('Choose another account');
    await screen.findByRole('heading', { name: 'Choose an account' });
    await press(/^Kaveri/);
    await screen.findByLabelText(/^Code/);
    await enter('c@d.example');
    expect(screen.queryByLabelText(/^Code/)).toBeNull();
    await press('Log in');
    expect(sent().map(({ body }) => body)).toEqual([
      { email: 'a@b.example', password: 'x' },
      { email: 'a@b.example', password: 'x', user_id: 9 },
      { email: 'a@b.example', password: 'x' },
      { email: 'a@b.example', password: 'x', user_id: 7 },
      { email: 'c@d.example', password: 'x' },
    ]);
  });

  it('login: offers the account of the last login in this browser after a wrong password only (decision 718)', async () => {
    expectErrors();
    const wrong = () => new Refusal(401, { error: 'Wrong email or password.', error_code: 'NOT_AUTHENTICATED' });
    const responses = [wrong, () => ({ message: 'Logged in.', user: { id: 9 } }), wrong, wrong];
    const last = () => screen.queryByRole('button', { name: 'Log in to the account you last used here' });
    localStorage.removeItem('login.account');
    open('/login', { 'POST /api/client/login': () => responses.shift()?.() });
    await enter('a@b.example');
    await press('Log in');
    await screen.findByText('Wrong email or password.');
    expect(last()).toBeNull();
    await press('Log in');
    await waitFor(() => expect(localStorage.getItem('login.account')).toBe('9'));
    expect(last()).toBeNull();
    await press('Log in');
    await screen.findByText('Wrong email or password.');
    await press('Log in to the account you last used here');
    await screen.findByRole('button', { name: 'Choose another account' });
    expect(sent().at(-1)?.body).toEqual({ email: 'a@b.example', password: 'x', user_id: 9 });
    expect(last()).toBeNull();
    localStorage.removeItem('login.account');
  });

  it('login: somebody else logs in with a password after an organization’s login', async () => {
    expectErrors();
    open('/login?choose=true', { 'POST /api/client/oidc/login': asksForAccount, 'POST /api/client/login': asksForAccount });
    await screen.findByRole('heading', { name: 'Choose an account' });
    await press('Log in as somebody else');
    await enter('c@d.example');
    await press('Log in');
    await screen.findByRole('heading', { name: 'Choose an account' });
    await press(/^Kaveri/);
    expect(sent().at(-1)).toMatchObject({ route: 'POST /api/client/login', body: { email: 'c@d.example', user_id: 7 } });
  });

  it('login: shows that the choice of an account got no response', async () => {
    expectErrors();
    let isFirst = true;
    open('/login?choose=true', {
      'POST /api/client/oidc/login': () => {
        if (!isFirst) throw new TypeError('Failed to fetch');
        isFirst = false;
        return asksForAccount();
      },
    });
    await screen.findByRole('heading', { name: 'Choose an account' });
    await press(/^Kaveri/);
    await screen.findByText('The server did not respond. Try again in a moment.');
    await screen.findByRole('heading', { name: 'Choose an account' });
  });

  it('login: offers several accounts after an organization’s login (decision 709)', async () => {
    expectErrors();
    open('/login?choose=true', { 'POST /api/client/oidc/login': asksForAccount });
    await screen.findByRole('heading', { name: 'Choose an account' });
    await press(/^Kaveri/);
    expect(sent().at(-1)).toMatchObject({ route: 'POST /api/client/oidc/login', body: { user_id: 7 } });
  });

  it('frame: names the page and unread conversations in the title, and does not open pages of another role', async () => {
    open('/operator', { 'GET /api/client/usage': unavailable });
    await screen.findByRole('heading', { level: 1, name: 'Home' });
    await waitFor(() => expect(document.title).toBe('(2) Home · Messaging gateway'));
    expect(screen.queryByRole('link', { name: 'Operator' })).toBeNull();
  });

  it('frame, inbox and home: show counts of a thousand, where they end, in the same way', async () => {
    const counts = { unread: 1_000, waiting: 1_000, open: 1_000, closed: 1_000, mine: 999, unassigned: 1_000 };
    open('/inbox', { 'GET /api/client/conversations': () => ({ conversations: [], counts, waiting_since: null }) });
    await screen.findByRole('button', { name: 'Mine 999' });
    for (const view of ['Unassigned', 'Open', 'Closed', 'All']) screen.getByRole('button', { name: `${view} 999+` });
    within(screen.getByRole('link', { name: /^Inbox/ })).getByLabelText('999+ unread');
    await waitFor(() => expect(document.title).toBe('(999+) Inbox · Messaging gateway'));
    await press(/^Home/, 'link');
    await screen.findByText('Waiting for a reply');
    expect(screen.getByText('Waiting for a reply').parentElement?.textContent).toContain('999+');
  });

  it('broadcasts: keep a draft over a reload (decision 453)', async () => {
    const components = [{ type: 'BODY', text: 'Hi {{1}}' }];
    const template = {
      id: 3,
      name: 'hello',
      language: 'en',
      status: 'APPROVED',
      category: 'UTILITY',
      content: 'Hi {{1}}',
      variables: ['1'],
    };
    const routes = { 'GET /api/client/templates': () => ({ templates: [{ ...template, components }], sync: { state: 'done', found: 1 } }) };
    open('/broadcasts?new=template', routes);
    fireEvent.click(await screen.findByRole('combobox', { name: 'Template' }));
    await press('hello (en)', 'option');
    await screen.findByText('WhatsApp charges each message as utility.');
    await press('Continue to recipients');
    await type('Or paste the rows here', 'phone,body_1\n+91 98765 43210,Asha');
    open('/broadcasts?new=recipients', routes);
    await screen.findByText('1 row, columns phone, body_1');
  });

  it('broadcasts: a wrong file replaces the list, and a corrected one of the same name is read', async () => {
    const template = { id: 3, name: 'hello', language: 'en', status: 'APPROVED', category: 'UTILITY', content: 'Hi', variables: [] };
    const templates = [{ ...template, components: [{ type: 'BODY', text: 'Hi' }] }];
    sessionStorage.setItem(
      'kept 1 broadcast',
      JSON.stringify({ name: '', template: 'hello/en', text: '', file: null, table: null, mapping: {} }),
    );
    open('/broadcasts?new=recipients', { 'GET /api/client/templates': () => ({ templates, sync: { state: 'done', found: 1 } }) });
    const next = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Continue to values' }).disabled;
    await screen.findByText('Choose a file');
    chooseFile('list.csv', 'phone\n"12015550177');
    await screen.findByText(/^Line \d: a quotation mark/);
    chooseFile('list.csv', 'phone\n12015550177');
    await screen.findByText('list.csv: 1 row, column phone');
    // A label by itself would hide the file from screen readers.
    screen.getByRole('button', { name: 'CSV file: list.csv' });
    expect([next(), screen.queryByRole('alert')]).toEqual([false, null]);
    for (const [text, more, problem] of [
      ['', { size: 8_000_001 }, /^The file is larger than 8 MB/],
      ['', { text: () => Promise.reject(new Error('NotReadableError')) }, /^The file cannot be read/],
    ] as const) {
      chooseFile('list.csv', text, more);
      await screen.findByText(problem);
      expect([next(), screen.queryByRole('status')]).toEqual([true, null]);
      chooseFile('list.csv', 'phone\n12015550177');
      await screen.findByText('list.csv: 1 row, column phone');
    }
    chooseFile('list.csv', '', { size: 8_000_001 });
    await press('Use another list');
    expect(screen.queryByRole('alert')).toBeNull();
    sessionStorage.clear();
  });

  describe('broadcasts: the mapping of a corrected list (decision 728)', () => {
    const template = {
      ...{ id: 3, language: 'en', status: 'APPROVED', category: 'UTILITY', content: 'Hi {{1}}: {{2}}', variables: ['1', '2'] },
      components: [{ type: 'BODY', text: 'Hi {{1}}: {{2}}' }],
    };
    const list = (names: string, row: string) => `${names}\n+919876543210,${row}`;
    const first = list('phone,name,order,total', 'Asha,1007,99');
    const routes = {
      'GET /api/client/templates': () => ({
        templates: [
          { ...template, name: 'order' },
          { ...template, id: 4, name: 'offer' },
        ],
        sync: { state: 'done', found: 2 },
      }),
      'POST /api/client/broadcasts/check': () => ({
        ...{ total: 1, wrong: 0, faults: [], estimate: null, category: 'UTILITY', suppressed: 0 },
        daily_limit: { limit: 10, used: 0, left: 10, resets_at: '2026-01-05T18:30:00.000Z' },
      }),
    };
    const step = (name: RegExp) => press(name, 'button', screen.getByRole('navigation', { name: 'Steps' }));
    /** Maps {{2}} to the fourth column by hand, and goes back to the list. */
    const mapByHand = async () => {
      await step(/Values/);
      await press('{{2}}', 'combobox');
      await press('total', 'option');
      await step(/Recipients/);
    };
    const checked = async () => {
      await step(/Check and send/);
      await screen.findByText('The row is valid');
      return requests.filter(({ route }) => route.endsWith('/check')).map(({ body }) => (body as { recipients: object[] }).recipients);
    };
    const begin = async () => {
      const draft = { name: '', template: 'order/en', text: '', file: null, table: null, mapping: {}, startsAt: null, version: 0 };
      sessionStorage.setItem('kept 1 broadcast', JSON.stringify(draft));
      open('/broadcasts?new=recipients', routes);
      await screen.findByText('Choose a file');
    };
    afterEach(() => sessionStorage.clear());

    it('stays with a file that is chosen again, even after one that cannot be read', async () => {
      await begin();
      chooseFile('list.csv', first);
      await screen.findByText(/^list.csv: 1 row/);
      await mapByHand();
      chooseFile('list.csv', 'phone\n"12015550177');
      await screen.findByText(/^Line \d: a quotation mark/);
      chooseFile('list.csv', list('phone,order,name,total', '1008,Asha,98'));
      await screen.findByText('list.csv: 1 row, columns phone, order, name, total');
      expect(await checked()).toEqual([[{ phone: '+919876543210', body_params: ['Asha', '98'] }]]);
    });

    it('stays with an edited text, and without its column the person chooses again', async () => {
      await begin();
      await type('Or paste the rows here', first);
      await screen.findByText(/^1 row/);
      await mapByHand();
      await type('Or paste the rows here', `${first}9`);
      expect(await checked()).toEqual([[{ phone: '+919876543210', body_params: ['Asha', '999'] }]]);
      await step(/Recipients/);
      await type('Or paste the rows here', list('phone,name,order', 'Asha,1007'));
      await screen.findByText('1 row, columns phone, name, order');
      await step(/Values/);
      await screen.findByText('The list no longer has the column “total”. Choose another one.');
      expect(screen.getByRole('button', { name: 'Continue to the check' }).hasAttribute('disabled')).toBe(true);
      await press('{{2}}', 'combobox');
      await press('order', 'option');
      expect((await checked()).at(-1)).toEqual([{ phone: '+919876543210', body_params: ['Asha', '1007'] }]);
    });

    it('belongs to its template', async () => {
      await begin();
      await type('Or paste the rows here', first);
      await screen.findByText(/^1 row/);
      await mapByHand();
      for (const name of ['offer (en)', 'order (en)']) {
        await step(/Template/);
        await press('Template', 'combobox');
        await press(name, 'option');
        await checked();
      }
      const recipient = { phone: '+919876543210' };
      expect(await checked()).toEqual([[{ ...recipient, body_params: ['Asha', '1007'] }], [{ ...recipient, body_params: ['Asha', '99'] }]]);
    });
  });

  describe('the palette (decision 511)', () => {
    afterEach(() => act(() => spotlight.close()));

    const listed = (customer_name: string, more: object) => ({ customer_name, customer_phone: '919876543210', labels: [], ...more });
    const template = { id: 3, name: 'order_update', language: 'en', status: 'APPROVED', body: '', buttons: [] };
    const routes: Parameters<typeof draw>[1] = {
      'GET /api/client/conversations': (_, url) => ({
        conversations: url.searchParams.has('q')
          ? [listed('Asha', { id: 7 }), listed('Ben', { id: 8, found: { text: 'The order is late' } })]
          : [],
        counts: { unread: 0 },
      }),
      'GET /api/client/templates': () => ({ templates: [template], sync: { state: 'done', found: 1 } }),
      'GET /api/client/erasures': () => ({ erasures: [], next_cursor: null }),
    };
    const find = async (text: string) => {
      await screen.findByRole('heading', { level: 1 });
      fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
      const dialog = await screen.findByRole('dialog', { name: 'Find a customer, message, template or page' });
      await act(async () => {
        fireEvent.change(within(dialog).getByRole('textbox'), { target: { value: text } });
        await Promise.resolve();
      });
      return dialog;
    };

    it('finds customers, messages and templates by keyboard', async () => {
      open('/people', routes);
      const dialog = await find('order');
      await within(dialog).findByText('Asha');
      expect(Array.from(dialog.querySelectorAll('button'), ({ textContent }) => textContent)).toEqual([
        'Asha+91 98765 43210',
        'The order is lateBen',
        'order_updateTemplate',
      ]);
      await act(async () => {
        fireEvent.keyDown(within(dialog).getByRole('textbox'), { key: 'ArrowDown', code: 'ArrowDown' });
        await Promise.resolve();
      });
      expect(dialog.querySelector('[data-selected]')?.textContent).toBe('The order is lateBen');
    });

    it('shows a failed search, and tries it again', async () => {
      open('/people', {
        ...routes,
        'GET /api/client/conversations': (_, url) =>
          url.searchParams.has('q') ? new Refusal(400, { error: 'Too slow.' }) : { conversations: [], counts: {} },
      });
      const dialog = await find('order');
      fireEvent.click(await within(dialog).findByText('The search failed. Press Enter to try again.'));
      await waitFor(() => expect(requests.filter(({ route }) => route === 'GET /api/client/conversations').length).toBeGreaterThan(2));
    });

    it('searches only what the role may read', async () => {
      const user = { id: 1, role: 'developer' };
      open('/webhooks', {
        ...routes,
        'GET /api/client/me': () => ({ user, business }),
        'GET /api/client/webhooks': () => ({ webhooks: [] }),
      });
      await within(await find('order')).findByText('No results');
      expect(requests.map(({ route }) => route)).not.toContain('GET /api/client/templates');
    });
  });

  it('frame: does not lead to the login while a service is unavailable', async () => {
    expectErrors();
    open('/people', { 'GET /api/client/me': unavailable });
    await screen.findByText('A service is unavailable.');
    expect(screen.queryByLabelText('Password')).toBeNull();
  });

  it('frame: explains why an address leads to another page, and nothing on the way in', async () => {
    const me = { 'GET /api/client/me': () => ({ user: { id: 1, name: 'Ravi', role: 'agent' }, business }) };
    const notice = 'Your role may not open this page.';
    const address = openPage('/', base(me));
    await waitFor(() => expect(address()).toBe('/inbox'));
    expect(screen.queryByText(notice)).toBeNull();
    openPage('/settings', base(me));
    await screen.findByText(notice);
  });

  it('frame: shows a page with a way back for an unknown address', async () => {
    open('/nothing');
    await screen.findByRole('heading', { name: 'Page not found' });
    expect(screen.getByRole('link', { name: 'Back to the start' }).getAttribute('href')).toBe('/');
  });

  it('decision 631: a page that crashes stands in the frame, and opens again', async () => {
    expectErrors();
    let list: object = {};
    open('/people', { 'GET /api/client/erasures': () => list, 'GET /api/client/webhooks': () => ({ webhooks: [] }) });
    await screen.findByRole('heading', { level: 1, name: 'This page could not be opened' });
    expect(screen.getAllByRole('main')).toHaveLength(1);
    fireEvent.click(screen.getByRole('link', { name: 'Webhooks' }));
    await screen.findByRole('heading', { level: 1, name: 'Webhooks' });
    fireEvent.click(screen.getByRole('link', { name: 'Personal data' }));
    await screen.findByRole('heading', { level: 1, name: 'This page could not be opened' });
    list = { erasures: [], next_cursor: null };
    await press('Try again');
    await screen.findByRole('heading', { level: 1, name: 'Personal data' });
  });

  it('decision 631: a page shows in the frame that the browser is offline, and loads its data when the network returns', async () => {
    open('/people', { 'GET /api/client/erasures': () => ({ erasures: [], next_cursor: null }) });
    await screen.findByRole('heading', { level: 1, name: 'Personal data' });
    await waitFor(() => expect(queries.isFetching()).toBe(0));
    const network = (isThere: boolean) =>
      act(async () => {
        jest.spyOn(navigator, 'onLine', 'get').mockReturnValue(isThere);
        window.dispatchEvent(new Event(isThere ? 'online' : 'offline'));
        await Promise.resolve();
      });
    await network(false);
    expect(within(screen.getByRole('main')).getByText('You are offline')).toBeTruthy();
    screen.getByRole('link', { name: 'Webhooks' });
    requests.length = 0;
    await network(true);
    await waitFor(() => expect(requests).toContainEqual({ route: 'GET /api/client/erasures', body: undefined }));
    expect(screen.queryByText('You are offline')).toBeNull();
  });

  it.each([
    ['/operator', 'Operator'],
    ['/operator/business?id=7', 'Business 7'],
    ['/operator/dead-letters', 'Dead letters'],
    ['/operator/audit', 'Audit log'],
    ['/operator/rate-card', 'Rate card'],
  ])('decision 552: %s has its heading while it loads, and when its data cannot be loaded', async (path, name) => {
    const me = { 'GET /api/client/me': () => ({ user: { id: 1, name: 'Op', role: 'operator' }, business: null }) };
    const loads = (respond: () => unknown) =>
      Object.fromEntries(
        ['businesses', 'businesses/7', 'dead-letters', 'audit', 'rate-card', 'services', 'limits', 'backlogs', 'webhooks'].map((last) => [
          `GET /api/admin/${last}`,
          respond,
        ]),
      );
    open(path, { ...me, ...loads(() => new Promise(() => undefined)) });
    await screen.findByRole('heading', { level: 1, name });
    expect(screen.getAllByRole('status').length).toBeGreaterThan(0);
    open(path, { ...me, ...loads(() => new Refusal(400, { error: 'Not now.' })) });
    await screen.findAllByText('Not now.');
    expect(screen.getAllByRole('heading', { level: 1 }).map(({ textContent }) => textContent)).toEqual([name]);
  });

  it('usage: explains a wrong day, and does not mention a service that starts', async () => {
    const refusal = new Refusal(400, { error: 'from must be a day of the calendar', details: [] });
    open('/usage?from=2026-02-30', { 'GET /api/client/usage': () => refusal });
    const alert = await screen.findByText('from must be a day of the calendar');
    expect(alert.closest('[role=alert]')?.textContent).not.toContain('may be starting');
  });

  it('usage: shows a bar for each day, even without messages, and as many labels as fit', async () => {
    const day = { day: '2026-02-02', kind: 'text', sent: 9, delivered: 6, read: 5, failed: 1, refused: 2 };
    const report = (to: string) => ({ from: '2026-02-01', to, timezone: 'UTC', usage: [day], billing: [], currency: null, keys: [] });
    for (const [to, labels] of [
      ['2026-02-03', ['Feb 1', 'Feb 2', 'Feb 3']],
      ['2026-02-28', ['Feb 1', 'Feb 8', 'Feb 15', 'Feb 22']],
    ] as const) {
      open('/usage', { 'GET /api/client/usage': () => report(to) });
      const chart = await screen.findByRole('img', { name: /^Messages by day/ });
      expect(chart.textContent?.match(/Feb \d+/g)).toEqual(labels);
    }
  });

  it('settings: names the cause and reason of an opt-out, and confirms before it lifts one', async () => {
    const one = {
      phone: '+919876543233',
      state: 'opted_out_marketing',
      source: 'platform',
      reason: 'By letter',
      since: new Date().toISOString(),
    };
    open('/settings', { 'GET /api/client/suppressions': () => ({ suppressions: [one], next_cursor: null }) });
    await screen.findByText('+91 98765 43233');
    await screen.findByText(/^opted out of marketing, by WhatsApp,/);
    screen.getByText('By letter');
    await press(/^Lift/);
    await press('Go back', 'button', await screen.findByRole('dialog', { name: 'Allow messages to +91 98765 43233 again?' }));
    expect(sent()).toEqual([]);
  });

  it('settings: shows the chosen role of a person while it is saved', async () => {
    const ben = { id: 2, name: 'Ben', email: 'ben@kaveri.example', role: 'agent' };
    let save = () => {};
    open('/settings', {
      'GET /api/client/team': () => ({ users: [{ ...ben }] }),
      'PATCH /api/client/team/2': async (body) => {
        await new Promise<void>((resolve) => (save = resolve));
        Object.assign(ben, body);
        return { message: 'Saved.' };
      },
    });
    const role = await screen.findByLabelText<HTMLInputElement>('Role of Ben', { selector: 'input' });
    fireEvent.click(role);
    fireEvent.click(await screen.findByRole('option', { name: 'manager' }));
    await waitFor(() => expect(sent()).toHaveLength(1));
    expect(role.value).toBe('manager');
    save();
    await screen.findByText('Saved.');
    await waitFor(() => expect(queries.isFetching()).toBe(0));
    expect(role.value).toBe('manager');
  });

  it('settings: an import shows what is wrong with a file, and takes the corrected one of the same name', async () => {
    open('/settings', {
      'GET /api/client/suppressions': () => ({ suppressions: [], next_cursor: null }),
      'POST /api/client/suppressions/import': () => ({ added: 1, unchanged: 0, faults: [] }),
    });
    await screen.findByRole('button', { name: 'Import CSV' });
    for (const [text, problem] of [
      ['', 'The first line must name the columns: phone, and optionally state, reason and since.'],
      ['number\n12015550177\n', 'The first line must name the columns: phone, and optionally state, reason and since.'],
      ['phone,reason\n', 'The file has a heading and no rows.'],
      ['phone,reason\n12015550177,Letter, signed\n', /^Line 2 has 3 values, but the first line names 2 columns\./],
      ['phone,reason\n12015550177,"Letter\n', /^Line \d: a quotation mark/],
    ] as const) {
      chooseFile('list.csv', text);
      await screen.findByText(problem);
      act(() => notifications.clean());
      await waitFor(() => expect(screen.queryByText(problem)).toBeNull());
    }
    expect(screen.queryByText('Try again in a moment.')).toBeNull();
    expect(sent()).toEqual([]);
    chooseFile('list.csv', 'phone;reason\n12015550177;Letter, signed\n');
    await screen.findByText('1 added, 0 unchanged.');
    expect(sent()[0]?.body).toEqual({ rows: [{ phone: '12015550177', state: 'opted_out', reason: 'Letter, signed' }] });
  });

  it('decision 756: a navigation keeps what a person entered in a form of a page, until it is saved or discarded', async () => {
    const settings = { enabled: true, instructions: 'Be kind.', model: '', base_url: null, has_api_key: false, daily_limit: 5 };
    const rules = { timezone: 'Asia/Kolkata', stop_words: [], start_words: [], otp_to_opted_out: false };
    open('/auto-reply', {
      'GET /api/client/auto-reply': () => ({ ...settings, costs: null, daily_cost_limit: null, quiet_when_agent_active_minutes: 5 }),
      'PUT /api/client/auto-reply': (body) => {
        Object.assign(settings, body);
        return { message: 'Saved.' };
      },
      'GET /api/client/settings': () => rules,
      'GET /api/client/team': () => ({ users: [] }),
      'POST /api/client/team': () => ({ message: 'Invited.' }),
    });
    const field = async (label: string | RegExp) => ((await screen.findByLabelText(label)) as HTMLInputElement).value;
    await type('Instructions', 'Speak for Kaveri.');
    await type('Model API key', 'sk-secret');
    await press('Settings', 'link');
    await type(/^Name/, 'Ben');
    await press('Send one-time passwords to opted-out contacts too', 'switch');
    await press('Auto-reply', 'link');
    expect(await field('Instructions')).toBe('Speak for Kaveri.');
    expect(await field('Model API key')).toBe('');
    expect(screen.queryByText('These settings changed since you began')).toBeNull();
    await press('Save');
    await screen.findByText('Saved.');
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Discard changes' })).toBeNull());
    expect(sent().map(({ body }) => body)).toEqual([{ instructions: 'Speak for Kaveri.' }]);
    await press('Settings', 'link');
    expect(await field(/^Name/)).toBe('Ben');
    await press('Discard changes');
    expect(screen.queryByRole('switch', { name: /^Send one-time/, checked: true })).toBeNull();
    await type(/^Email/, 'ben@kaveri.example');
    await press('Invite');
    await waitFor(async () => expect(await field(/^Name/)).toBe(''));
    expect(Object.keys(sessionStorage).filter((name) => name.startsWith('kept'))).toEqual([]);
  });

  it('decision 756: shows that a colleague changed a field since, and forgets a change that was saved without a response', async () => {
    const settings = { enabled: true, instructions: 'Be kind.', model: '', base_url: null, has_api_key: false, daily_limit: 5 };
    let fails = false;
    open('/auto-reply', {
      'GET /api/client/auto-reply': () => ({ ...settings, costs: null, daily_cost_limit: null, quiet_when_agent_active_minutes: 5 }),
      'PUT /api/client/auto-reply': (body) => {
        Object.assign(settings, body);
        return fails ? unavailable() : { message: 'Saved.' };
      },
    });
    const change = async (instructions: string) => {
      settings.instructions = instructions;
      await act(() => queries.invalidateQueries({ queryKey: ['auto-reply'] }));
    };
    const discardButton = () => screen.queryByText('Discard changes');
    const outdated = 'These settings changed since you began';
    await type('Instructions', 'Speak for Kaveri.');
    await press('Settings', 'link');
    await change('A colleague’s');
    await press('Auto-reply', 'link');
    await screen.findByText(outdated);
    await press('Discard changes');
    await screen.findByDisplayValue('A colleague’s');
    expect(screen.queryByText(outdated)).toBeNull();
    await type(/^Reply limit/, '6');
    await press('Save');
    await waitFor(() => expect(discardButton()).toBeNull());
    expect(sent().map(({ body }) => body)).toEqual([{ daily_limit: 6 }]);
    fails = true;
    await type('Instructions', 'Speak for Kaveri.');
    await press('Save');
    await screen.findByText('A service is unavailable.');
    await change(settings.instructions);
    await waitFor(() => expect(discardButton()).toBeNull());
    await change('Another one');
    await screen.findByDisplayValue('Another one');
    expect(discardButton()).toBeNull();
  });

  it('auto-reply: keeps the tried question beside its reply', async () => {
    open('/auto-reply', { 'POST /api/client/auto-reply/try': () => ({ reply: 'Yes.' }) });
    const question = await screen.findByLabelText('A customer’s message');
    fireEvent.change(question, { target: { value: 'Open today?' } });
    await press('Get a reply');
    await screen.findByText('Yes.');
    fireEvent.change(question, { target: { value: 'And on Sunday?' } });
    expect(screen.getByRole('status').textContent).toContain('Open today?');
  });

  it.each([
    [3, null, null],
    [4, 'Nearly used up', null],
    [5, 'Nearly used up', 'Today’s cap is used up: CRM'],
  ])('plan bar: with %i of 5 messages used', async (used_today, warning, banner) => {
    open('/people', {
      'GET /api/client/api-keys': () => ({
        api_keys: [
          { ...key, used_today },
          { ...key, id: 2, name: 'Shop', used_today: 1 },
        ],
      }),
      'GET /api/client/erasures': () => ({ erasures: [], next_cursor: null }),
    });
    await screen.findByText(`${used_today} of 5 API sends today`);
    expect(screen.getByText('CRM, the most used of 2 keys')).toBeTruthy();
    expect(screen.getByText(/^resets in .* \(00:00 Asia\/Kolkata\)$/)).toBeTruthy();
    expect(screen.queryByLabelText('Nearly used up')?.getAttribute('aria-label') ?? null).toBe(warning);
    expect(screen.queryByText(/^Today’s cap is used up/)?.textContent ?? null).toBe(banner);
  });

  it('decision 757: Escape returns the focus from a dialog to the menu that opened it, and a removed row passes it to the page', async () => {
    const webhook = { id: 1, name: 'Shop', url: 'https://a.example', events: [], is_active: 1, fail_count: 0, has_secret: true };
    let webhooks = [{ ...webhook, last_triggered_at: null }];
    open('/webhooks', {
      'GET /api/client/webhooks': () => ({ webhooks }),
      'GET /api/client/webhooks/1/deliveries': () => ({ deliveries: [], next_cursor: null }),
      'DELETE /api/client/webhooks/1': () => {
        webhooks = [];
        return { message: 'Deleted.' };
      },
    });
    const choose = async (action: string) => {
      act(() => screen.getByRole('button', { name: 'Actions for Shop' }).focus());
      await press('Actions for Shop');
      const menu = await screen.findByRole('menu');
      await waitFor(() => expect(menu.contains(document.activeElement)).toBe(true));
      await press(action, 'menuitem', menu);
      const dialog = await screen.findByRole('dialog');
      await waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true));
      return dialog;
    };
    await screen.findByText('Shop');
    for (const action of ['Deliveries and test events', 'Edit', 'Delete']) {
      fireEvent.keyDown(await choose(action), { key: 'Escape' });
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
      await waitFor(() => expect(document.activeElement?.ariaLabel).toBe('Actions for Shop'));
    }
    // A menu may take the focus again while it closes, so that a dialog remembers an entry that is gone.
    const removed = document.body.appendChild(document.createElement('div'));
    removed.setAttribute('role', 'menu');
    removed.tabIndex = -1;
    act(() => removed.focus());
    act(() => removed.remove());
    await waitFor(() => expect(document.activeElement?.ariaLabel).toBe('Actions for Shop'));
    const question = await choose('Delete');
    act(() => within(question).getByRole('button', { name: 'Delete' }).focus());
    await press('Delete', 'button', question);
    await screen.findByText('No webhook yet');
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('main')));
  });

  it('decision 779: Escape closes the top dialog only, and an action that takes its button away passes the focus to the next one', async () => {
    const at = new Date().toISOString();
    let finished_at: string | null = null;
    const broadcast = {
      ...{ id: 7, name: 'Autumn', template_name: 'offer', language: 'en', status: 'running', created_at: at, scheduled_at: null },
      ...{ started_at: at, retry_of: null, pause_cause: null, cost: null, total_recipients: 9, sent: 1, failed: 0, unclear: 0 },
      ...{ pending: 8, delivered: 0, read: 0, replied: 0, retryable: 0, failures: [] },
    };
    open('/broadcasts?id=7', {
      'GET /api/client/broadcasts': () => ({ broadcasts: [], next_cursor: null }),
      'GET /api/client/broadcasts/7': () => ({ ...broadcast, finished_at }),
      'GET /api/client/broadcasts/7/recipients': () => ({ recipients: [], next_cursor: null }),
      'POST /api/client/broadcasts/7/cancel': () => {
        finished_at = at;
        return { message: 'Broadcast cancelled.' };
      },
    });
    const cancel = await screen.findByRole('button', { name: 'Cancel the broadcast' });
    act(() => cancel.focus());
    await press('Cancel the broadcast');
    const question = await screen.findByRole('dialog', { name: 'Cancel Autumn?' });
    await waitFor(() => expect(question.contains(document.activeElement)).toBe(true));
    fireEvent.keyDown(document.activeElement as Element, { key: 'Escape' });
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Cancel Autumn?' })).toBeNull());
    await waitFor(() => expect(document.activeElement).toBe(cancel));
    screen.getByRole('dialog', { name: 'Broadcast' });
    await press('Cancel the broadcast');
    const again = await screen.findByRole('dialog', { name: 'Cancel Autumn?' });
    act(() => within(again).getByRole('button', { name: 'Cancel the broadcast' }).focus());
    await press('Cancel the broadcast', 'button', again);
    await screen.findByText('Broadcast cancelled.');
    await waitFor(() => expect(document.activeElement?.textContent).toBe('Duplicate'));
  });

  it('decision 779: a part that a person removes passes the focus to the next one, and the last part to the one before it', async () => {
    open('/templates?edit=new', { 'GET /api/client/templates': () => ({ templates: [], sync: { state: 'idle' } }) });
    await screen.findByText('Start with');
    await press('Reminder');
    const remove = async (nth: number) => {
      act(() => screen.getByRole('button', { name: `Remove button ${nth}` }).focus());
      await press(`Remove button ${nth}`);
    };
    await press('Add a button');
    await remove(3);
    await waitFor(() => expect(document.activeElement?.textContent).toBe('Add a button'));
    act(() => screen.getByRole('button', { name: 'Discard' }).focus());
    await press('Discard');
    const question = await screen.findByRole('dialog', { name: 'Discard what you entered?' });
    await press('Discard', 'button', question);
    await waitFor(() => expect(document.activeElement?.textContent).toBe('Submit for review'));
  });

  it('decision 779: a button that its own action disables passes the focus to the control beside it', async () => {
    open('/people', {
      'GET /api/client/erasures': () => ({ erasures: [], next_cursor: null }),
      'DELETE /api/client/people/12015550100': () => ({ message: 'The erasure has begun.' }),
    });
    await type(/^Phone number/, '12015550100');
    await type(/^Reason/, 'Requested');
    act(() => screen.getByRole('button', { name: 'Erase' }).focus());
    await press('Erase');
    const question = await screen.findByRole('dialog', { name: /^Erase everything/ });
    await press('Erase', 'button', question);
    await screen.findByText('The erasure has begun.');
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText(/^Reason/)));
  });

  it('decision 779: a button that its action replaces passes the focus to what replaced it', async () => {
    open('/account', {
      'GET /api/client/me/totp': () => ({ enabled: false, required: false, recovery_codes_left: 0 }),
      'POST /api/client/me/totp': () => ({ secret: 'ABC', otpauth_url: 'otpauth://totp/x?secret=ABC' }),
      'GET /api/client/me/sessions': () => ({ sessions: [] }),
    });
    const begin = await screen.findByRole('button', { name: 'Set up two-step login' });
    act(() => begin.focus());
    await press('Set up two-step login');
    const copy = await screen.findByRole('button', { name: 'Copy the secret' });
    await waitFor(() => expect(document.activeElement).toBe(copy));
  });

  it('decision 764: a dialog keeps the scroll position and begins at its first field; another page begins at its top', async () => {
    const scroll = jest.spyOn(window, 'scrollTo').mockImplementation();
    open('/webhooks', {
      'GET /api/client/webhooks': () => ({ webhooks: [] }),
      'GET /api/client/broadcasts': () => ({ broadcasts: [], next_cursor: null }),
    });
    await screen.findByText('No webhook yet');
    scroll.mockClear();
    await press('Add a webhook');
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText(/^Name/)));
    fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Escape' });
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(scroll).not.toHaveBeenCalled();
    await press('Broadcasts', 'link');
    await screen.findByText('No broadcasts yet');
    expect(scroll).toHaveBeenCalled();
    scroll.mockClear();
    await press('New broadcast');
    await screen.findByRole('heading', { name: 'New broadcast' });
    expect(scroll).toHaveBeenCalled();
  });

  it.each([
    ['/inbox?id=9', 'GET /api/client/conversations/9/messages'],
    ['/messages?id=none', 'GET /api/client/messages/none'],
    ['/broadcasts?id=9', 'GET /api/client/broadcasts/9'],
    ['/webhooks?id=9&delivery=1', 'GET /api/client/webhooks/9/deliveries/1'],
    ['/webhooks?id=9', 'GET /api/client/webhooks/9/deliveries'],
  ])('%s shows that there is nothing', async (path, route) => {
    const gone = new Refusal(404, { error: 'No resource has this id.', error_code: 'NOT_FOUND' });
    open(path, { [route]: () => gone, 'GET /api/client/webhooks': () => ({ webhooks: [] }) });
    await screen.findByText('Nothing was found at this address');
    expect([screen.queryByText('No resource has this id.'), screen.queryByRole('button', { name: 'Send test event' })]).toEqual([
      null,
      null,
    ]);
  });

  it('webhooks: does not show a disabled one as healthy', async () => {
    const webhook = {
      id: 1,
      name: 'Switched off',
      url: 'https://a.example',
      events: [],
      is_active: 0,
      fail_count: 0,
      has_secret: true,
      last_triggered_at: null,
    };
    open('/webhooks', { 'GET /api/client/webhooks': () => ({ webhooks: [webhook] }) });
    await screen.findByText('Switched off');
    expect(screen.getByText('off')).toBeTruthy();
  });

  it('decision 632: a failing webhook shows since when, why and what comes next, and leads to its recovery', async () => {
    const since = '2026-05-06T01:38:30.000Z';
    const failing = { since, last_response_code: 503, reason: 'responded 503 instead of 200' };
    const webhook = {
      ...{ id: 1, name: 'CRM', url: 'https://a.example', events: [], is_active: 1, fail_count: 12, has_secret: true, failing },
      last_triggered_at: since,
    };
    open('/webhooks', {
      'GET /api/client/webhooks': () => ({ webhooks: [webhook] }),
      'GET /api/client/webhooks/1/deliveries': () => ({ deliveries: [], next_cursor: null }),
      'GET /api/client/webhooks/1/recover': () => ({ recovery: null }),
      'POST /api/client/webhooks/1/recover': () => ({ queued: 12, message: 'Redelivering.' }),
    });
    const alert = (await screen.findByText(/^Deliveries fail since/)).closest('[role=alert]');
    expect(alert?.textContent).toMatch(/Last failure: responded 503 instead of 200\..*still sent, once.*30 days/);
    await press(/^Redeliver what failed/);
    const field = await screen.findByLabelText<HTMLInputElement>('Redeliver all failed since, Asia/Kolkata time');
    expect(field.value).toBe('2026-05-06T07:08');
    await press('Redeliver all');
    await screen.findByText('Redelivering.');
    expect(sent()).toEqual([{ route: 'POST /api/client/webhooks/1/recover', body: { since: '2026-05-06T01:38:00.000Z' } }]);
  });

  it('decision 774: of many webhooks, failing ones come first and keep their places, and only one explains what to do', async () => {
    const failing = { since: '2026-05-06T01:38:30.000Z', last_response_code: null, reason: 'could not be reached' };
    const webhooks = Array.from({ length: 12 }, (_, i) => ({
      ...{ id: i + 1, name: `Hook ${i + 1}`, url: `https://a.example/${i + 1}`, events: [], is_active: 1, has_secret: true },
      ...{ last_triggered_at: null, fail_count: i < 10 ? 0 : 3, ...(i >= 10 && { failing }) },
    }));
    open('/webhooks', { 'GET /api/client/webhooks': () => ({ webhooks }) });
    const shown = () => screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent);
    const inOrder = ['Hook 11', 'Hook 12', ...Array.from({ length: 8 }, (_, i) => `Hook ${i + 1}`)];
    await screen.findByText('Hook 11');
    expect(shown()).toEqual(inOrder);
    expect(screen.getAllByText(/Last failure: could not be reached\./)).toHaveLength(2);
    expect(screen.getAllByText(/redeliver them/)).toHaveLength(1);
    webhooks[10] = { ...webhooks[10], failing: undefined, fail_count: 0 } as never;
    await act(() => queries.invalidateQueries());
    await waitFor(() => expect(screen.getAllByText(/Last failure/)).toHaveLength(1));
    expect(shown()).toEqual(inOrder);
    await press('Show more');
    expect(shown()).toHaveLength(12);
  });

  it('decision 55: broadcasts: shows that a business may send none, by its limit instead of its plan', async () => {
    const openAs = async (plan: string, broadcast_daily_limit: number) => {
      open('/broadcasts', {
        'GET /api/client/broadcasts': () => ({ broadcasts: [], next_cursor: null }),
        'GET /api/client/me': () => ({ user: { id: 1, role: 'owner' }, business: { ...business, plan, broadcast_daily_limit } }),
      });
      await screen.findByText('No broadcasts yet');
      return screen.queryByText('Your business may send no broadcasts') !== null;
    };
    const shown = [await openAs('Starter', 0), await openAs('Starter', 500), await openAs('Growth', 0), await openAs('Growth', 1_000)];
    expect(shown).toEqual([true, false, true, false]);
  });

  it('audit log: names the person whom an entry changed, and labels the request id', async () => {
    const entry = {
      at: '2026-01-05T09:00:00.000Z',
      user: { id: 1, name: 'Asha', email: 'asha@kaveri.example' },
      ip: '203.0.113.7',
      detail: {},
    };
    open('/audit', {
      'GET /api/client/team': () => ({ users: [{ id: 2, name: 'Ben' }] }),
      'GET /api/client/audit': () => ({
        entries: [
          { ...entry, id: 2, action: 'user.role-changed', target: 'user:2', request_id: 'req-2' },
          { ...entry, id: 1, action: 'webhook.changed', target: 'webhook:1', request_id: null },
        ],
        next_cursor: null,
      }),
    });
    await screen.findByText('Ben', { selector: 'td p' });
    screen.getByText('webhook 1');
    screen.getByText('Request req-2');
  });

  it('audit log: an entry without an address comes from the command line only if it has no request', async () => {
    const entry = { at: '2026-01-05T09:00:00.000Z', user: null, ip: null, target: null, detail: {} };
    open('/audit', {
      'GET /api/client/audit': () => ({
        entries: [
          { ...entry, id: 2, action: 'session.refused', request_id: 'req-2' },
          { ...entry, id: 1, action: 'user.created', request_id: null },
        ],
        next_cursor: null,
      }),
    });
    const origins = (await screen.findAllByText(/^(Not shown|Command line)$/)).map(({ textContent }) => textContent);
    expect(origins).toEqual(['Not shown', 'Command line']);
  });

  it('plan bar: shows that a Starter plan does not send', async () => {
    open('/people', { 'GET /api/client/me': () => ({ user: { id: 1, role: 'owner' }, business: { ...business, plan: 'Starter' } }) });
    await screen.findByText('The Starter plan does not send through the API.');
  });

  it('templates: shows how often each was sent, with the way to these messages', async () => {
    const template = { id: 1, language: 'en', category: 'UTILITY', status: 'APPROVED', content: 'Hi', components: [], variables: [] };
    const sent = [
      ['order', 1_234],
      ['offer', 0],
      ['reminder', null],
    ] as const;
    open('/templates', {
      'GET /api/client/templates': () => ({
        templates: sent.map(([name, sent_7_days], id) => ({ ...template, id, name, sent_7_days })),
        sync: { state: 'done', found: 3, finished_at: null, problem: null },
      }),
    });
    const link = await screen.findByRole('link', { name: '1,234 sent in 7 days' });
    expect(link.getAttribute('href')).toBe('/messages?period=7d&template=order');
    expect(screen.getAllByText(/in 7 days/)).toHaveLength(2);
  });

  it('templates: shows the end of a review without a reload, in the list and for one name', async () => {
    const template = { id: 1, name: 'order', language: 'en', category: 'UTILITY', content: 'Hi', components: [], variables: [] };
    for (const path of ['/templates', '/templates?name=order']) {
      let status = 'PENDING';
      open(path, {
        'GET /api/client/templates': () => ({
          templates: [{ ...template, status }],
          sync: { state: 'done', found: 1, finished_at: null, problem: null },
        }),
      });
      await screen.findByText('pending');
      status = 'APPROVED';
      await screen.findByText('approved');
      expect((screen.getByRole('button', { name: /^Fill in and test/ }) as HTMLButtonElement).disabled).toBe(false);
    }
  });

  it('decision 580: a template takes a picture as its header, and names a missing, wrong or refused sample at the field', async () => {
    let response: [number, object] = [400, { error: 'WhatsApp refused it.', error_code: 'PLATFORM_REFUSED' }];
    const uploads: string[] = [];
    class Upload {
      upload = {};
      onload = () => undefined;
      get status() {
        return response[0];
      }
      get responseText() {
        return JSON.stringify(response[1]);
      }
      open = (method: string, path: string) => uploads.push(`${method} ${path}`);
      setRequestHeader = () => undefined;
      getResponseHeader = () => null;
      abort = () => undefined;
      send = () => setTimeout(() => this.onload());
    }
    Object.assign(window, { XMLHttpRequest: Upload });
    Object.assign(URL, { createObjectURL: () => 'blob:sample', revokeObjectURL: () => undefined });
    const faults = [{ field: 'header.example', message: 'is required' }];
    let fails = true;
    open('/templates', {
      'GET /api/client/templates': () => ({ templates: [], sync: { state: 'done', found: 0, finished_at: null, problem: null } }),
      'POST /api/client/templates': () =>
        fails ? new Refusal(400, { error: 'Wrong.', error_code: 'VALIDATION_FAILED', details: faults }) : { message: 'In review.' },
    });
    fireEvent.click((await screen.findAllByRole('button', { name: 'New template' }))[0] as HTMLElement);
    await type(/^Name/, 'offer');
    fireEvent.click(screen.getByRole('combobox', { name: 'Kind of header' }));
    fireEvent.click(await screen.findByRole('option', { name: 'Picture', hidden: true }));
    await type(/^Body/, 'Hello, look at this.');
    await press('Submit for review');
    await screen.findByText('Choose a sample.');
    expect(document.activeElement).toBe(screen.getByLabelText('Sample picture'));
    const choose = (name: string, mime: string) =>
      fireEvent.change(document.querySelector('input[type=file]') as HTMLInputElement, {
        target: { files: [new File(['x'], name, { type: mime })] },
      });
    chooseFile('offer.png', 'x', { type: 'video/mp4' });
    await screen.findByText(/offer.png does not fit this header. Choose a picture/);
    expect((document.querySelector('input[type=file]') as HTMLInputElement).value).toBe('');
    expect(uploads).toEqual([]);
    choose('offer.png', 'image/png');
    await screen.findByText('offer.png was not uploaded: WhatsApp refused it.');
    response = [200, { handle: '4::aGk=' }];
    choose('offer.png', 'image/png');
    expect((await screen.findByAltText('offer.png')).getAttribute('src')).toBe('blob:sample');
    screen.getByRole('button', { name: 'Sample picture: offer.png' });
    expect(uploads).toEqual(Array(2).fill('POST /api/client/media/samples?filename=offer.png'));
    fails = false;
    await press('Submit for review');
    await screen.findByText('In review.');
    expect(sent().at(-1)?.body).toMatchObject({ name: 'offer', header: { type: 'image', example: '4::aGk=' } });
  });

  it('decision 553: a template has a field for the example of each variable, and names each blank one there', async () => {
    open('/templates?edit=new', {
      'GET /api/client/templates': () => ({ templates: [], sync: { state: 'done', found: 0, finished_at: null, problem: null } }),
      'POST /api/client/templates': () => ({ message: 'In review.' }),
    });
    await type(/^Name/, 'order');
    await type('Header', 'Order {{1}}');
    await type(/^Body/, 'Hello {{first_name}}, your order is here.');
    await press('Add a button');
    expect(document.activeElement).toBe(screen.getByRole('combobox', { name: 'Button 1' }));
    // A screen reader would read the preview at each key press.
    expect(screen.queryByRole('log')).toBeNull();
    fireEvent.click(screen.getByRole('combobox', { name: 'Button 1' }));
    fireEvent.click(await screen.findByRole('option', { name: 'Link', hidden: true }));
    await type(/^Label/, 'Track');
    await type(/^Address/, 'https://a.example/{{1}}');
    await type(/first_name/, ' ');
    await press('Submit for review');
    const examples = ['Example for {{1}} in the header', 'Example for {{first_name}}', 'Example for {{1}} in button 1'];
    for (const label of examples) {
      expect(screen.getByText(`${label} is missing.`)).toBeTruthy();
      expect(screen.getByRole('textbox', { name: label }).getAttribute('aria-invalid')).toBe('true');
    }
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: examples[0] }));
    expect(sent()).toEqual([]);
    await type(/in the header/, '7');
    await type(/first_name/, 'Asha');
    await type(/in button 1/, 'https://a.example/7');
    expect(screen.queryByText(/is missing/)).toBeNull();
    await press('Submit for review');
    await screen.findByText('In review.');
    expect(sent().at(-1)?.body).toMatchObject({
      examples: { header: ['7'], body: ['Asha'] },
      buttons: [{ example: 'https://a.example/7' }],
    });
  });

  describe('the steps of a connection (decision 532)', () => {
    const unset = { phone_number_id: null, business_account_id: null, verify_token: null, checked_at: null, problem: null };
    const number = { display_phone_number: null, verified_name: null, quality_rating: null, messaging_limit: null, throughput: null };
    const callback_url = 'https://gateway.example/webhooks/whatsapp';
    const ids = { phone_number_id: '701', business_account_id: '801' };

    it('takes one value after another, keeps them in memory, saves once, and shows each check with its remedy', async () => {
      let saved: object | null = null;
      let isSubscribed = false;
      const check = { name: 'token', state: 'ok', message: 'The access token works and never expires', fix: null, at: null };
      const missing = {
        ...check,
        name: 'subscription',
        state: 'problem',
        message: 'The app is not subscribed',
        fix: 'Select Subscribe here.',
      };
      const routes = {
        'GET /api/client/connection': () => ({ ...unset, ...number, callback_url, status: 'not_connected', ...saved }),
        'PUT /api/client/connection': (body: unknown) => {
          saved = { ...ids, status: 'unchecked', verify_token: (body as { verify_token: string }).verify_token };
          return { message: 'Saved.' };
        },
        'GET /api/client/connection/checks': () => ({
          checked_at: new Date().toISOString(),
          checks: [check, isSubscribed ? { ...missing, state: 'ok', fix: null } : missing],
        }),
        'POST /api/client/connection/subscribe': () => {
          isSubscribed = true;
          return { message: 'Subscribed.' };
        },
      };
      open('/settings/connection?step=check', routes);
      await type('Phone number ID', '+91 98765');
      await press('Continue');
      await screen.findByText('Phone number ID: 1 to 32 digits, as Meta shows them.');
      await type('Phone number ID', '701');
      await type('WhatsApp Business Account ID', '801');
      await press('Continue');
      await type('Access token', ' EAAtoken ');
      expect(JSON.stringify({ ...sessionStorage, ...localStorage })).toContain('701');
      expect(JSON.stringify({ ...sessionStorage, ...localStorage })).not.toContain('EAA');
      await press('Continue');
      await screen.findByText(/Select Show beside App secret/);
      await press('Continue');
      await screen.findByText('Enter the app secret.');
      expect(sent()).toEqual([]);
      await type('App secret', 'hidden');
      await press('Continue');
      await screen.findByText(callback_url);
      expect(sent()).toEqual([
        {
          route: 'PUT /api/client/connection',
          body: { ...ids, access_token: 'EAAtoken', app_secret: 'hidden', verify_token: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
        },
      ]);
      await press('Continue');
      await screen.findByText(/The app is not subscribed/);
      expect(screen.getAllByRole('img', { name: 'Problem' })).toHaveLength(1);
      await press('Subscribe');
      await screen.findByText(/Everything works/);
      expect(screen.getAllByRole('img', { name: 'Works' })).toHaveLength(2);
    });

    it('changes one secret of a connection, and leads to the field that the gateway refused', async () => {
      const connection = { ...unset, ...number, ...ids, callback_url, status: 'connected', verify_token: 'v' };
      const refused = new Refusal(400, { error: 'x', details: [{ field: 'phone_number_id', message: 'is not yours' }] });
      let isRefused = true;
      open('/settings/connection?step=token', {
        'GET /api/client/connection': () => connection,
        'PUT /api/client/connection': () => (isRefused ? refused : { message: 'Saved.' }),
      });
      await type('Access token', 'EAAnew');
      await press('Continue');
      await screen.findByText('Phone number ID is not yours.');
      isRefused = false;
      await press('Continue');
      await screen.findByText(/Select Generate token/);
      expect(sent().map(({ body }) => body)).toEqual(Array(2).fill({ ...ids, access_token: 'EAAnew' }));
    });

    it('decision 753: a save that ends after the person left keeps what they entered since, and shows a refusal', async () => {
      const connection = { ...unset, ...number, ...ids, callback_url, status: 'connected', verify_token: 'v' };
      const responses: ((response: unknown) => void)[] = [];
      const token = () => screen.findByLabelText<HTMLInputElement>('Access token');
      const openStep = () =>
        open('/settings/connection?step=token', {
          'GET /api/client/connection': () => connection,
          'PUT /api/client/connection': () => new Promise((resolve) => responses.push(resolve)),
          'GET /api/client/webhooks': () => ({ webhooks: [] }),
        });
      const leave = async () => {
        fireEvent.click(screen.getByRole('link', { name: 'Webhooks' }));
        await screen.findByRole('heading', { level: 1, name: 'Webhooks' });
        await waitFor(() => expect(responses).toHaveLength(1));
      };
      openStep();
      await type('Access token', 'EAAnew');
      await press('Continue');
      await leave();
      responses.pop()?.(new Refusal(400, { error: 'Not a valid token.', details: [{ field: 'access_token', message: 'is not valid' }] }));
      await screen.findByText('Not a valid token.');
      openStep();
      expect((await token()).value).toBe('EAAnew');
      await press('Continue');
      await type('Access token', 'EAAnewer');
      await leave();
      responses.pop()?.({ message: 'Saved.' });
      await waitFor(() => expect(queries.isMutating()).toBe(0));
      openStep();
      expect((await token()).value).toBe('EAAnewer');
    });
  });
});
