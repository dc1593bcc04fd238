import { readFile } from 'node:fs/promises';
import { TOTP } from 'otpauth';
import { eventually, newContext, startBrowser, startReceiver, type Receiver } from '@mgw/testing';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { addSession, loginAddress } from './browser-session';
import { accessibilityFaults, RULES_OF_COLORS, RULES_OF_SPACE, SHELL, settled, smallTargets } from './page-checks';
import { customer, dashboardUser, integrator, logIn as sessionCookie } from './people';
import { startStack, type RunningStack } from './stack';

// Generous timeouts, so that a machine ten times slower passes too.
jest.setTimeout(300_000);

/** Pages of a business. An owner may open all of them. */
const PAGES = [
  '',
  'messages',
  'inbox',
  'templates',
  'broadcasts',
  'webhooks',
  'events',
  'requests',
  'api-keys',
  'auto-reply',
  'usage',
  'settings',
  'settings/connection',
  'account',
  'audit',
  'people',
];

/** Pages that show an empty state before there is data. */
const PAGES_OF_LISTS = ['', 'messages', 'inbox', 'broadcasts', 'webhooks', 'requests', 'auto-reply', 'people'];
/** Pages on which a manager sees other parts than an owner. */
const PAGES_OF_MANAGERS = ['broadcasts', 'auto-reply', 'api-keys', 'settings'];
const PAGES_OF_OPERATORS = ['operator', 'operator/business?id=1', 'operator/dead-letters', 'operator/rate-card', 'operator/audit'];
const PAGES_WITHOUT_LOGIN = ['login', 'password#token=none', 'nothing'];

const DESK = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

/** Requests of a page that can be held or refused. */
const API = ['*/api/client/*', '*/api/admin/*'];
const JSON_TYPE = [{ name: 'content-type', value: 'application/json' }];
const REFUSED = Buffer.from(JSON.stringify({ success: false, error: 'This cannot be read now.', error_code: 'CONFLICT' })).toString(
  'base64',
);

/** The journey of a business's users in a real browser. */
describe('the dashboard', () => {
  let stack: RunningStack;
  let browser: Browser;
  let page: Page;
  let receiver: Receiver;
  const problems: string[] = [];

  beforeAll(async () => {
    stack = await startStack({ standalone: true });
    browser = await startBrowser();
    page = await newPage({ permissions: ['clipboard-read', 'clipboard-write'] });
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !/with a status of \d+/.test(message.text())) problems.push(message.text());
    });
    page.on('response', async (response) => {
      // A refused login and the first request without a session are expected errors. A page repeats what a busy machine did not do.
      if (response.status() < 410 || response.status() === 503) return;
      const text = await response.text().catch(() => '');
      if (!text.includes('"retryable":true')) problems.push(`${response.status()} ${response.url()} ${text}`);
    });
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await browser?.close();
    await receiver?.close();
    await stack?.stop();
  });

  /** A page in a browser of its own. */
  const newPage = async (options: BrowserContextOptions = {}) => {
    const context = await newContext(browser, { viewport: DESK, ...options });
    return context.newPage();
  };
  /** A page in the browser of a person who is logged in. */
  const pageOf = async (who: { email: string; password: string }) => {
    const own = await newPage();
    await addSession(own.context(), stack.demo.site_url, await sessionCookie(stack.demo.site_url, who));
    return own;
  };
  const go = (path: string, on = page) => on.goto(`${stack.demo.dashboard_url}/${path}`);
  const loaded = async (on: Page) => {
    await on.getByRole('heading', { level: 1 }).waitFor();
    await on.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  };
  const open = async (path: string, on: Page) => {
    await go(path, on);
    await loaded(on);
  };
  /** Opens another page like a link does, without loading the dashboard again. */
  const goWithin = async (path: string, on: Page) => {
    await on.evaluate(`document.querySelector('h1').dataset.left = '';
      history.pushState(null, '', '/${path}')`);
    await on.locator('h1[data-left]').waitFor({ state: 'detached' });
    await loaded(on);
  };
  const logIn = async (who: { email: string; password: string }, on = page) => {
    await on.goto(`${stack.demo.dashboard_url}/login`);
    await on.getByLabel('Email').fill(who.email);
    await on.locator('input[type=password]').fill(who.password);
    await on.getByRole('button', { name: 'Log in' }).click();
  };

  it('shows nothing without a login, and reports a wrong password', async () => {
    await go('messages');
    expect(await loginAddress(page)).toMatch(/\/login\?next=/);
    await logIn({ email: stack.growth.owner.email, password: 'not the password' });
    expect(await page.getByRole('alert').textContent()).toMatch(/wrong|email|password/i);
    await page.getByRole('button', { name: 'I forgot my password' }).click();
    await page.getByText('This gateway sends no mail.').waitFor();
    await logIn(stack.growth.owner);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
  });

  const scriptsOf = (html: string) => [...html.matchAll(/\/assets\/[\w.-]+\.js/g)].map(([path]) => path);
  /** Compressed sizes. */
  const bytesOf = async (scripts: string[]) => {
    const sizes = await Promise.all(
      scripts.map(async (path) => {
        const file = await fetch(stack.demo.dashboard_url + path, { headers: { 'accept-encoding': 'br' } });
        return Number(file.headers.get('content-length'));
      }),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  };

  /** The scripts of each page that a browser opened by its address. */
  const loadedBy = new Map<string, string[]>();
  const noteScripts = async (path: string, on: Page) => {
    const loaded = await on.evaluate<string[]>("performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)");
    loadedBy.set(path, scriptsOf(loaded.join('\n')));
  };

  it('has no accessibility violation on a page that loads, cannot be loaded or is empty', async () => {
    const found = [];
    for (const [on, paths] of [
      [page, PAGES],
      [await pageOf(stack.demo.operator), PAGES_OF_OPERATORS],
    ] as const) {
      // Both schemes, because pages share what they show then.
      await on.emulateMedia({ colorScheme: on === page ? 'light' : 'dark' });
      // Routes of Playwright would turn the cache off, and the browser would load and compile all scripts for each page.
      const network = await on.context().newCDPSession(on);
      let held = Promise.resolve();
      const answer = async (requestId: string, path: string) => {
        if (/^\/api\/client\/(me$|events)/.test(path)) return network.send('Fetch.continueRequest', { requestId });
        await held;
        return network.send('Fetch.fulfillRequest', { requestId, responseCode: 409, responseHeaders: JSON_TYPE, body: REFUSED });
      };
      // The page may give up a request meanwhile.
      network.on('Fetch.requestPaused', ({ requestId, request }) => void answer(requestId, new URL(request.url).pathname).catch(() => {}));
      for (const path of paths) {
        let respond = () => {};
        held = new Promise<void>((resolve) => (respond = resolve));
        await network.send('Fetch.enable', { patterns: API.map((urlPattern) => ({ urlPattern })) });
        await go(path, on);
        await on.getByRole('heading', { level: 1 }).waitFor();
        const around = path === paths[0] ? [] : SHELL;
        const loading = await accessibilityFaults(on, undefined, around);
        respond();
        await eventually(async () => (await on.locator('[aria-busy=true]').count()) === 0);
        const failed = await accessibilityFaults(on, undefined, around);
        await noteScripts(path, on);
        await network.send('Fetch.disable');
        const isList = on === page && PAGES_OF_LISTS.includes(path);
        if (isList) {
          // A person who comes back to the page makes it load again.
          await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);
          await eventually(async () => (await page.getByRole('alert').count()) === 0);
        }
        const empty = isList ? await accessibilityFaults(page, undefined, around) : [];
        if (loading.length + failed.length + empty.length > 0) found.push({ path, loading, failed, empty });
      }
      if (on !== page) await on.context().close();
    }
    expect(found).toEqual([]);
  });

  it('creates a key, shows it once, and follows a message sent with it to read', async () => {
    await go('api-keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Shop');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    const key = (await page.getByRole('dialog').locator('pre').first().textContent()) ?? '';
    expect(key).toMatch(/^mgw_live_/);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('cell', { name: 'Shop', exact: true }).waitFor();
    expect(await page.content()).not.toContain(key);

    await page.getByRole('button', { name: 'Actions for Shop' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await page.getByRole('dialog').getByLabel('Allowed addresses').fill('127.0.0.0/8\n::1');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    const shop = integrator(stack.demo.base_url, key);
    const sent = await shop.post<{ message_id: string }>('send-template', {
      phone: '+1 201 555 0100',
      template_name: 'order_update',
      body_params: ['Asha', '4711'],
    });
    expect(sent.status).toBe(200);
    // A page with a search refreshes only every 15 s.
    const status = `message-status/${encodeURIComponent(sent.body.message_id)}`;
    await eventually(async () => (await shop.get(status)).body['delivery_status'] === 'read', { everyMs: 250 });
    await go('messages?q=4711');
    await page.getByRole('row', { name: /4711/ }).getByText('read', { exact: true }).waitFor();
    await page.getByRole('button', { name: /4711/ }).click();
    for (const step of ['accepted', 'sent', 'delivered', 'read'])
      await page.getByRole('dialog').getByText(step, { exact: true }).first().waitFor();
  });

  it('adds a webhook and shows its deliveries, but never the secret', async () => {
    await go('webhooks');
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('CRM');
    await dialog.getByLabel('Address').fill('http://10.0.0.1/hook');
    await dialog.getByLabel('Signing secret').fill('swordfish');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/Address must/).waitFor();
    await dialog.getByLabel('Address').fill(`${receiver.url}/hook`);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('secret set').waitFor();
    expect(await page.content()).not.toContain('swordfish');
    await page.getByRole('button', { name: 'Actions for CRM' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('menuitem', { name: 'Deliveries and test events' }).click();
    await page.getByRole('button', { name: 'Send test event' }).click();
    await dialog.getByText('succeeded').waitFor();
    // A delivery has an address of its own.
    await page.reload();
    await page.getByRole('heading', { name: 'Deliveries to CRM' }).waitFor();
    receiver.respond((_, response) => void response.writeHead(200).end('stored as 4711'));
    await dialog.getByRole('button', { name: 'Redeliver' }).click();
    await eventually(() => receiver.requests.length === 2);
    expect(receiver.requests[0]?.body).toBe(receiver.requests[1]?.body);
    await dialog.getByText('stored as 4711').waitFor();
    await dialog.getByText(/^200 · \d+ ms · 2 attempts$/).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);

    const sent = await integrator(stack.demo.base_url, stack.growth.api_key).post('send-template', {
      phone: '+1 201 555 0108',
      template_name: 'order_update',
      body_params: ['Asha', '4712'],
    });
    expect(sent.status).toBe(200);
    await dialog.getByRole('link', { name: 'All deliveries' }).click();
    await dialog.getByRole('listitem').filter({ hasText: 'message.sent' }).getByText('succeeded').waitFor();
    await dialog.getByRole('combobox', { name: 'Event', exact: true }).click();
    await page.getByRole('option', { name: 'broadcast.completed' }).click();
    await dialog.getByText('No deliveries match these filters.').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await go('webhooks');
    await page.getByText(/^100 % of \d+ in 24 hours succeeded$/).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it('decision 280: warns of an unsigned webhook, and replaces a secret by a generated one', async () => {
    await go('webhooks?new=yes');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Deliveries are not signed').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Generate' }).click();
    await dialog.getByText('Deliveries are not signed').waitFor({ state: 'detached' });
    await go('webhooks');
    await page.getByRole('button', { name: 'Actions for CRM' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await dialog.getByRole('button', { name: 'Generate' }).click();
    const secret = await dialog.getByLabel('Signing secret').inputValue();
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    const base64 = Buffer.from(secret).toString('base64');
    await dialog.getByText(`whsec_${base64}`).waitFor();
    expect(await dialog.getByRole('combobox', { name: 'Keep the old secret' }).inputValue()).toBe('1 hour');
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Copy the secret', exact: true }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('The old secret signs too until').waitFor();
    expect(await page.content()).not.toContain(secret);

    const owner = await dashboardUser(stack.demo.site_url, stack.growth.owner);
    const { body: list } = await owner.call<{ webhooks: { id: number; name: string }[] }>('GET', '/api/client/webhooks');
    const before = receiver.requests.length;
    await owner.call('POST', `/api/client/webhooks/${list.webhooks.find(({ name }) => name === 'CRM')?.id}/test`, {});
    const { body, headers } = await eventually(() => receiver.requests[before]);
    for (const each of [secret, 'swordfish']) {
      const standard = new Webhook(`whsec_${Buffer.from(each).toString('base64')}`);
      expect(() => standard.verify(body, headers as Record<string, string>)).not.toThrow();
    }
  });

  it('counts the window down in the inbox and sends a reply', async () => {
    await customer(stack.demo, stack.growth, '12015550107').writes('Is it ready?');
    await go('inbox');
    await page.getByRole('button', { name: /Is it ready/ }).click();
    await page
      .getByText(/^23 h 5\d min left|24 h 0 min left$/)
      .filter({ visible: true })
      .waitFor();
    await page.getByLabel('Reply').fill('It is.');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('log').getByText('It is.').first().waitFor();
    const crm = integrator(stack.demo.base_url, stack.growth.api_key);
    await crm.post('send-template', { phone: '+1 201 555 0102', template_name: 'order_update', body_params: ['Ben', '1'] });
    await go('inbox?q=0102');
    await page.getByRole('button', { name: /Hello Ben/ }).click();
    await page.getByText('The 24-hour window is closed').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it('shows places, contact cards, choices, quotes, reactions, edits and deletions in the inbox', async () => {
    const person = customer(stack.demo, stack.growth, '12015550108');
    const first = await person.sends({ text: 'First line' });
    const wrong = await person.sends({ text: 'Wrong chat' });
    await person.sends({ type: 'location' });
    await person.sends({ type: 'contacts' });
    await person.sends({ type: 'interactive' });
    await person.sends({ text: 'About that', context: { id: first } });
    await person.sends({ type: 'sticker', context: { id: first } });
    await person.sends({ type: 'reaction', content: { message_id: first, emoji: '👍' } });
    await person.sends({ type: 'edit', content: { original_message_id: first, message: { type: 'text', text: { body: 'Better line' } } } });
    await person.sends({ type: 'revoke', content: { original_message_id: wrong } });
    await go('inbox');
    await page
      .getByRole('button', { name: /12015550108|Simulated Person/ })
      .first()
      .click();
    const log = page.getByRole('log');
    await log.getByRole('link', { name: '12.9716, 77.5946' }).waitFor();
    await log.getByText('Warehouse Desk').waitFor();
    await log.getByRole('button', { name: 'Copy +91 90000 55509' }).waitFor();
    await log.getByText('Ships in two days').waitFor();
    await log.getByRole('note', { name: 'Reply to' }).getByText('Better line').first().waitFor();
    await log.getByRole('button', { name: 'Open sticker' }).waitFor();
    await log.getByRole('img', { name: 'Reactions: 👍' }).waitFor();
    await log.getByText(/· edited/).waitFor();
    await log.getByText(/deleted by the customer/).waitFor();
    const crm = integrator(stack.demo.base_url, stack.growth.api_key);
    await crm.post('send-location', { phone: '12015550108', latitude: 9.5, longitude: 76.25, name: 'Our shop' });
    await log.getByRole('link', { name: '9.5, 76.25' }).waitFor();
    // An earlier test sent this person a template.
    const line = log.locator('.inbox-line').filter({ hasText: 'Better line' }).first();
    await line.getByRole('button', { name: 'React' }).click();
    await page.getByRole('button', { name: '🙏' }).click();
    await log.getByRole('img', { name: 'Reactions: 👍 🙏' }).waitFor();
    await line.getByRole('button', { name: 'Quote' }).click();
    await page.keyboard.type('Noted *well*');
    await page.keyboard.press('Enter');
    const reply = log.locator('div').filter({ hasText: /Better lineNoted well.* · / });
    await reply.last().getByText('well', { exact: true }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it('does not start a broadcast with an invalid row, and finishes a valid one', async () => {
    await go('broadcasts');
    await page.getByRole('button', { name: 'New broadcast' }).click();
    await page.getByRole('combobox', { name: 'Template' }).click();
    await page.getByRole('option', { name: /order_update/ }).click();
    await page.getByRole('button', { name: 'Continue to recipients' }).click();
    const rows = page.getByLabel('Or paste the rows here');
    await rows.fill('id,Name,order,Mobile\n7,Asha,1,+1 201 555 0100\n8,Ben,2,12\n9,Doe, John,3,+1 201 555 0102');
    await page.getByRole('button', { name: 'Continue to values' }).click();
    // The columns have other names and another order, so a person maps them.
    const column = async (field: string, name: string) => {
      await page.getByRole('combobox', { name: field }).click();
      await page.getByRole('option', { name, exact: true }).click();
    };
    await column('{{1}}', 'Name');
    await column('{{2}}', 'order');
    await page.getByText('To +1 201 555 0100').waitFor();
    await page.getByText(/Asha/).first().waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Continue to the check' }).click();
    await page.getByText(/Line 3: Mobile/).waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download the errors as CSV' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('broadcast-errors.csv');
    const errors = await readFile(await file.path(), 'utf8');
    expect(errors.split('\r\n')).toEqual(
      expect.arrayContaining([
        'line,field,error',
        expect.stringMatching(/^3,Mobile,.*7 to 15 digits/),
        '4,row,"has 5 cells, and the heading 4"',
      ]) as string[],
    );
    expect(await page.getByRole('button', { name: 'Start sending' }).isDisabled()).toBe(true);
    await page.goBack();
    await page.goBack();
    expect(await rows.inputValue()).toContain('Doe, John');
    await rows.fill('Name,order,Mobile\nAsha,1,+1 201 555 0100\nBen,2,+1 201 555 0101');
    await page.getByRole('button', { name: '4. Check and send' }).click();
    await page.getByText('All 2 rows are valid').waitFor();
    await page.getByText(/ of 1,000 recipients are left today/).waitFor();
    await page.getByLabel('Send later').click();
    const start = page.getByLabel(/^Start, Asia\/Kolkata time/);
    await start.fill('2026-01-01T00:00');
    await page.getByText('This time has passed.').waitFor();
    await page.getByLabel('Send later').click();
    await page.getByLabel('Name').fill('Autumn');
    await page.getByRole('button', { name: 'Start sending' }).click();
    await page.getByRole('button', { name: 'Send to 2 people' }).click();
    await page.getByText('completed').first().waitFor();
    await page.getByText('2 sent · 0 failed').first().waitFor();
  });

  it('imports opted-out contacts from a CSV file and exports them, and shows the number and its quality', async () => {
    await go('settings');
    await page.getByText('high', { exact: true }).waitFor();
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByRole('button', { name: 'Import CSV' }).click()]);
    const csv = 'phone,reason,state\n+91 98765 40001,"Letter, signed",\n12,,blocked\n';
    await chooser.setFiles({ name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
    await page.getByText('1 added, 0 unchanged.').waitFor();
    await page.getByText(/^Row 2: phone/).waitFor();
    await page.getByRole('row', { name: '+91 98765 40001' }).waitFor();
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Export CSV' }).click()]);
    const [header, ...lines] = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
    expect(header).toBe('phone,state,reason,since,source');
    expect(lines).toContainEqual(expect.stringMatching(/^919876540001,opted_out,"Letter, signed",[\d-]+T[\d:.]+Z,dashboard$/));
  });

  it('additions §9: connects the simulator step by step, and names what is missing until everything works', async () => {
    const { simulator_url, site_url, app_secret } = stack.demo;
    const json = { 'content-type': 'application/json' };
    const simulator = async (path: string, body: object) =>
      expect((await fetch(simulator_url + path, { method: 'POST', headers: json, body: JSON.stringify(body) })).status).toBe(200);
    const number = { phone_number_id: '700100200300901', business_account_id: '800900100200901', access_token: 'EAAsteps' };
    await simulator('/__sim/accounts', { ...number, app_secret, name: 'Steps', display_phone_number: '13035559901' });
    const headers = { authorization: `Bearer ${number.access_token}` };
    await fetch(`${simulator_url}/${number.business_account_id}/subscribed_apps`, { method: 'DELETE', headers });
    const operator = await dashboardUser(site_url, stack.demo.operator);
    const { body } = await operator.call<{ id: number }>('POST', '/api/admin/businesses', {
      name: 'Steps',
      plan: 'Growth',
      timezone: 'UTC',
    });
    const owner = { email: 'owner@steps.example', password: 'a long enough password' };
    await operator.call('POST', `/api/admin/businesses/${body.id}/users`, { ...owner, name: 'Owner', role: 'owner' });
    const tab = await newPage();
    await logIn(owner, tab);
    await tab.getByRole('link', { name: 'Connect your WhatsApp number' }).click();
    const proceed = () => tab.getByRole('button', { name: 'Continue' }).click();
    await tab.getByLabel('Phone number ID').fill(number.phone_number_id);
    await tab.getByLabel('WhatsApp Business Account ID').fill(number.business_account_id);
    await proceed();
    await tab.getByRole('textbox', { name: 'Access token' }).fill(number.access_token);
    await tab.reload();
    expect(await tab.getByRole('textbox', { name: 'Access token' }).inputValue()).toBe('');
    await tab.getByRole('textbox', { name: 'Access token' }).fill(number.access_token);
    await proceed();
    await tab.getByRole('textbox', { name: 'App secret' }).fill('not this one');
    await proceed();
    await tab.getByText(`${site_url}/webhooks/whatsapp`).waitFor();
    const verify_token = (await tab.getByText(/^[0-9a-f]{64}$/).textContent()) ?? '';
    await proceed();
    const problems = tab.getByRole('listitem').filter({ has: tab.getByRole('img', { name: 'Problem' }) });
    await eventually(async () => (await problems.count()) === 3);
    await problems
      .filter({ hasText: 'App secret' })
      .getByText(/every callback is refused/)
      .waitFor();
    await problems
      .filter({ hasText: 'Callbacks arrive' })
      .getByText(/Verify and save/)
      .waitFor();
    await problems.filter({ hasText: 'Webhook subscription' }).getByRole('button', { name: 'Subscribe' }).click();
    await simulator('/__sim/handshake', { verify_token });
    await tab.getByRole('button', { name: '3. App secret' }).click();
    await tab.getByRole('textbox', { name: 'App secret' }).fill(app_secret);
    await proceed();
    await tab.getByRole('button', { name: '5. Check' }).click();
    await tab.getByText('Everything works.').waitFor();
    await tab
      .getByText(/\+1 ?303 ?555 ?9901/)
      .first()
      .waitFor();
    await tab.context().close();
  });

  it('lets an owner invite an agent, who sets a password and replies to a customer, make them a manager, who sends a broadcast, and remove them', async () => {
    await go('settings');
    await page.getByLabel('Name').fill('Mira');
    await page.getByLabel('Email').fill('mira@growth.example');
    await page.getByRole('button', { name: 'Invite' }).click();
    const shown = page.getByRole('dialog', { name: 'Personal link' });
    const link = new URL((await shown.locator('pre').textContent()) ?? '');
    await shown.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('row', { name: /Mira.*invited/ }).waitFor();
    const miras = await newPage({ viewport: PHONE, isMobile: true, hasTouch: true });
    await miras.goto(`${stack.demo.dashboard_url}${link.pathname}${link.hash}`);
    await miras.getByLabel(/^New password/).fill('a long enough password');
    await miras.getByLabel('Repeat the new password').fill('a long enough password');
    await miras.getByRole('button', { name: 'Set password' }).click();
    await miras.getByRole('link', { name: 'Log in' }).waitFor();
    expect(miras.url()).not.toContain('#');
    const account = { email: 'mira@growth.example', password: 'a long enough password' };
    await logIn(account, miras);
    await miras.waitForURL(/\/inbox$/);
    await miras.getByRole('button', { name: 'Show or hide the navigation' }).click();
    const links = miras.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    await links.first().waitFor();
    expect(await links.allTextContents()).toEqual(['Inbox', 'Messages', 'Templates']);
    await links.first().click();
    await customer(stack.demo, stack.growth, '919876543310').writes('Is Mira there?');
    await miras.getByRole('button', { name: /Is Mira there/ }).click();
    const reply = miras.getByRole('textbox', { name: 'Reply', exact: true });
    for (const width of [PHONE.width, 320]) {
      await miras.setViewportSize({ width, height: 640 });
      await settled(miras);
      const field = await reply.boundingBox();
      expect([width, field && field.x + field.width <= width && field.y + field.height <= 640]).toEqual([width, true]);
      expect([width, await accessibilityFaults(miras)]).toEqual([width, []]);
    }
    await reply.fill('Yes, she is.');
    await miras.getByRole('button', { name: 'Send' }).click();
    await miras.getByRole('log').getByText('Yes, she is.').first().waitFor();
    await miras.getByRole('button', { name: 'Close', exact: true }).click();
    await miras.getByRole('button', { name: /^Reopen/ }).waitFor();
    await miras.getByRole('button', { name: 'Back' }).click();
    await miras.getByText('Is Mira there?').waitFor({ state: 'hidden' });
    await miras.getByRole('button', { name: /^Closed/ }).click();
    await miras.getByRole('button', { name: /Yes, she is/ }).waitFor();
    await miras.goto(`${stack.demo.dashboard_url}/broadcasts`);
    await miras.waitForURL(/\/inbox$/);
    const mira = await dashboardUser(stack.demo.site_url, account);
    expect((await mira.call('GET', '/api/client/broadcasts')).status).toBe(403);
    await page.getByRole('combobox', { name: 'Role of Mira' }).click();
    await page.getByRole('option', { name: 'manager' }).click();
    await page.getByText('Role changed.').waitFor();
    expect((await mira.call('GET', '/api/client/broadcasts')).status).toBe(200);
    expect((await mira.call('POST', '/api/client/api-keys', { name: 'x', permissions: ['*'] })).status).toBe(403);
    await miras.setViewportSize({ width: 768, height: 1024 });
    await miras.goto(`${stack.demo.dashboard_url}/broadcasts`);
    await miras.getByRole('button', { name: 'New broadcast' }).click();
    await miras.getByRole('combobox', { name: 'Template' }).click();
    await miras.getByRole('option', { name: /order_update/ }).click();
    await miras.getByRole('button', { name: 'Continue to recipients' }).click();
    await miras.getByLabel('Or paste the rows here').fill('phone,body_1,body_2\n+1 201 555 0100,Asha,1');
    await miras.getByRole('button', { name: '4. Check and send' }).click();
    await miras.getByLabel('Name').fill('By Mira');
    await miras.getByRole('button', { name: 'Start sending' }).click();
    await miras.getByRole('button', { name: /^Send to 1 / }).click();
    await miras.getByText('1 sent · 0 failed').first().waitFor();
    await miras.context().close();
    await page.getByRole('row', { name: /Mira/ }).getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog', { name: 'Remove Mira?' }).getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('row', { name: /Mira/ }).waitFor({ state: 'detached' });
    expect((await mira.call('GET', '/api/client/messages')).status).toBe(401);
  });

  it('turns two-step login on with a QR code, and requires a code at the next login', async () => {
    const person = { email: 'steps@growth.example', password: 'a long enough password' };
    const owner = await dashboardUser(stack.demo.site_url, stack.growth.owner);
    expect((await owner.call('POST', '/api/client/team', { ...person, name: 'Steps', role: 'agent' })).status).toBe(200);
    const tab = await newPage();
    await logIn(person, tab);
    await tab.waitForURL(/\/inbox$/);
    await tab.goto(`${stack.demo.dashboard_url}/account`);
    await tab.getByRole('button', { name: 'Set up two-step login' }).click();
    await tab.getByRole('img', { name: /QR code/ }).waitFor();
    const totp = new TOTP({ secret: (await tab.locator('pre').textContent()) ?? '' });
    await tab.getByLabel('Code of the app').fill(totp.generate());
    await tab.getByRole('button', { name: 'Turn on' }).click();
    await tab.getByText('10 recovery codes are left').waitFor();
    expect((await tab.locator('pre').textContent())?.split('\n')).toHaveLength(10);
    expect(await accessibilityFaults(tab)).toEqual([]);
    await tab.getByRole('button', { name: 'Your account' }).click();
    await tab.getByRole('menuitem', { name: 'Log out' }).click();
    expect(await loginAddress(tab)).toMatch(/\/login$/);
    await logIn(person, tab);
    await tab.getByLabel('Code').fill(totp.generate({ timestamp: Date.now() + 30_000 }));
    await tab.getByRole('button', { name: 'Log in' }).click();
    await tab.waitForURL(/\/inbox$/);
    await tab.context().close();
  });

  it('stops accepting a revoked key, and lets the operator change a plan', async () => {
    await go('api-keys');
    await page.getByRole('button', { name: 'Actions for Shop' }).click();
    await page.getByRole('menuitem', { name: 'Rotate' }).click();
    await page.getByRole('combobox', { name: 'The old key ends' }).click();
    await page.getByRole('option', { name: 'At once' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    const shops = page.getByRole('row', { name: /Shop/ });
    await shops.getByText('expired').waitFor();
    await shops.getByRole('button', { name: 'Revoke' }).click();
    await page
      .getByRole('dialog', { name: /^Revoke Shop, / })
      .getByRole('button', { name: 'Revoke' })
      .click();
    await shops.getByText('revoked').waitFor();

    const operator = await newPage();
    await logIn(stack.demo.operator, operator);
    await operator.getByRole('heading', { name: 'Operator' }).waitFor();
    await operator.getByText('outbound-webhook-dispatcher').waitFor();
    await operator.getByLabel('Requests a minute, all keys together').fill('240');
    await operator.getByRole('button', { name: 'Save' }).first().click();
    const api = await dashboardUser(stack.demo.site_url, stack.demo.operator);
    await eventually(async () => (await api.call('GET', '/api/admin/limits')).body['global_per_minute'] === 240);
    await operator.context().close();
  });

  it('has no accessibility violation and fits the screen on any page of any role, on a desk, a tablet or a phone, light or dark', async () => {
    const manager = { email: 'manager@growth.example', password: 'a long enough password' };
    const owner = await dashboardUser(stack.demo.site_url, stack.growth.owner);
    expect((await owner.call('POST', '/api/client/team', { ...manager, name: 'Manager', role: 'manager' })).status).toBe(200);
    const found = [];
    for (const [on, paths] of [
      [page, PAGES],
      [await pageOf(manager), PAGES_OF_MANAGERS],
      [await pageOf(stack.demo.operator), PAGES_OF_OPERATORS],
      [await newPage(), PAGES_WITHOUT_LOGIN],
    ] as const) {
      for (const path of paths) {
        await on.setViewportSize(DESK);
        if (paths === PAGES_WITHOUT_LOGIN || path === paths[0]) await open(path, on);
        else await goWithin(path, on);
        if (paths === PAGES_WITHOUT_LOGIN) await noteScripts(path, on);
        const around = path === paths[0] ? [] : SHELL;
        // The schemes differ in colors only.
        await on.emulateMedia({ colorScheme: 'dark' });
        const inDark = await accessibilityFaults(on, RULES_OF_COLORS, around);
        await on.emulateMedia({ colorScheme: 'light' });
        if (inDark.length > 0) found.push({ path, inDark });
        for (const width of [DESK.width, 768, PHONE.width, 320]) {
          await on.setViewportSize({ width, height: width < 768 ? 640 : DESK.height });
          await settled(on);
          const drawn = await on.evaluate('document.documentElement.scrollWidth');
          // A tablet has the navigation of a desk and the lists of a phone, and both phones are the same.
          const faults = width === PHONE.width ? [] : await accessibilityFaults(on, width === 768 ? RULES_OF_SPACE : undefined, around);
          const small = width < PHONE.width ? await smallTargets(on) : [];
          if (drawn !== width || faults.length + small.length > 0) found.push({ path, width, drawn, faults, small });
        }
      }
      if (on !== page) await on.context().close();
    }
    expect(found).toEqual([]);
  });

  it('loads less than 60 kB of its own code per page, and less than 45 kB with all others (friendliness §4)', async () => {
    const document = await fetch(stack.demo.dashboard_url);
    const first = scriptsOf(await document.text());
    const later = (path: string) => (loadedBy.get(path) ?? []).filter((script) => !first.includes(script));
    const [some = '', ...others] = PAGES;
    const shared = later(some).filter((script) => others.every((path) => later(path).includes(script)));
    expect(await bytesOf(shared)).toBeLessThan(45_000);
    const found = [];
    for (const path of loadedBy.keys()) {
      const own = later(path).filter((script) => !shared.includes(script));
      found.push({ path, isSmall: (await bytesOf(own)) < 60_000, hasOwn: own.length > 0 });
    }
    const expected = [...PAGES, ...PAGES_OF_OPERATORS, 'login', 'password#token=none'];
    expect(found).toEqual(expect.arrayContaining(expected.map((path) => ({ path, isSmall: true, hasOwn: true }))));
    expect(found.filter(({ isSmall }) => !isSmall)).toEqual([]);
  });

  it('has a strict content security policy, loads less than 180 kB at first (friendliness §4), and causes no console errors', async () => {
    const response = await fetch(stack.demo.dashboard_url);
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; " +
        "frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'",
    );
    expect(response.headers.get('cache-control')).toBe('no-cache');
    const first = scriptsOf(await response.text());
    expect(await bytesOf(first)).toBeLessThan(180_000);
    const script = await fetch(`${stack.demo.dashboard_url}${first[0]}`, { headers: { 'accept-encoding': 'br' } });
    expect([script.headers.get('content-encoding'), script.headers.get('cache-control')]).toEqual([
      'br',
      'public, max-age=31536000, immutable',
    ]);
    expect(problems).toEqual([]);
  });
});
