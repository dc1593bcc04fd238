import { readFile } from 'node:fs/promises';
import { eventually, newContext, runToEnd, startBrowser, startReceiver } from '@mgw/testing';
import type { Browser, BrowserContext, Page, Request, Route } from 'playwright-core';
import { addSession, loginAddress } from './browser-session';
import { accessibilityFaults, forgetShifts, RULES_OF_COLORS, recordLayoutShifts, settled, visibleShifts } from './page-checks';
import { connectAs } from './database';
import { fillInbox, fillLog, sentAt } from './large-business';
import { customer, dashboardUser, integrator, logIn as sessionCookie, type DashboardUser } from './people';
import { startStack, type DemoBusiness, type RunningStack } from './stack';

/** Finds elements beyond the edge of the screen that no scrolling reaches. */
const OUT_OF_REACH = `[...document.querySelectorAll('main button, main a, main input, main p, main h2, main td, header p, header button, [role=dialog] button, [role=dialog] input')]
  .filter((element) => {
    if (element.getBoundingClientRect().right <= innerWidth + 1) return false;
    for (let around = element; around; around = around.parentElement) {
      const { overflowX } = getComputedStyle(around);
      if (/auto|scroll/.test(overflowX) && around.scrollWidth > around.clientWidth && around.getBoundingClientRect().right <= innerWidth) return false;
    }
    return true;
  })
  .map((element) => element.outerHTML.slice(0, 120))`;

// Generous timeouts, so that a machine ten times slower passes too.
jest.setTimeout(300_000);

const PHONE = { width: 320, height: 640 };
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

interface Person {
  email: string;
  password: string;
}
interface Thread {
  messages: { direction: string; text: string }[];
}

/** The dashboard's pages under lost responses, unavailable services, expired sessions and concurrent users. */
describe('the dashboard’s pages', () => {
  let stack: RunningStack;
  let browser: Browser;
  /** Pages share its cache. */
  let shared: BrowserContext;
  let kept: Page;
  /** The context and the page of a test. */
  let context: BrowserContext;
  let page: Page;
  let owner: DashboardUser;

  beforeAll(async () => {
    stack = await startStack({ standalone: true });
    browser = await startBrowser();
    owner = await dashboardUser(stack.demo.site_url, stack.growth.owner);
    const operator = await dashboardUser(stack.demo.site_url, stack.demo.operator);
    // Two tests watch broadcasts that are longer than the plan allows in a day.
    await operator.call('PATCH', `/api/admin/businesses/${stack.growth.id}`, { broadcast_daily_limit: 10_000 });
    shared = await contextOfDesk();
    // The browser starts a process of its own for a site without an open page, which takes most of a page's time.
    kept = await shared.newPage();
    await kept.goto(`${stack.demo.site_url}/llms.txt`);
  });
  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
  });
  const contextOfDesk = () => newContext(browser, { viewport: { width: 1280, height: 900 }, locale: 'en-US' });
  /** Goes on in a context that only this test uses, because a clock stays in its context. */
  const leaveSharedContext = async () => {
    const cookies = await context.cookies();
    context = await contextOfDesk();
    await context.addCookies(cookies);
    page = await context.newPage();
  };
  /** Call it before routes are set and the page is opened. */
  const setClock = async (now: Date) => {
    await leaveSharedContext();
    await page.clock.setFixedTime(now);
  };
  /** The page's clock; call it before routes are set and the page is opened. */
  const ownClock = async () => {
    await leaveSharedContext();
    await page.clock.install();
  };
  /** Lets the time of the page's next refresh come, instead of waiting for it. */
  const refresh = () => page.clock.fastForward(6_000);
  beforeEach(async () => {
    context = shared;
    page = await context.newPage();
  });
  afterEach(async () => {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    if (context !== shared) await context.close();
    for (const opened of shared.pages()) if (opened !== kept) await opened.close();
    await shared.clearCookies();
  });

  const go = (path: string, on = page) => on.goto(`${stack.demo.dashboard_url}/${path}`);
  const fillLogin = async (who: Person, on = page) => {
    await on.getByLabel('Email').fill(who.email);
    await on.locator('input[type=password]').fill(who.password);
    await on.getByRole('button', { name: 'Log in' }).click();
  };
  /** One session for each person; only tests of the login itself fill in its form. */
  const sessions = new Map<string, Promise<string>>();
  const logIn = async (who: Person = stack.growth.owner) => {
    if (!sessions.has(who.email)) sessions.set(who.email, sessionCookie(stack.demo.site_url, who));
    await addSession(context, stack.demo.site_url, (await sessions.get(who.email)) ?? '');
  };
  const openHome = async (who: Person = stack.growth.owner) => {
    await logIn(who);
    await go('');
    await page.getByRole('heading', { level: 1, name: who === stack.demo.operator ? 'Operator' : 'Home' }).waitFor();
  };
  const unavailable = (route: Route) =>
    route.fulfill({ status: 503, json: { success: false, error: 'A service is unavailable.', error_code: 'SERVICE_UNAVAILABLE' } });
  /** Holds the page's requests to a URL. @returns a function that lets them go on */
  const hold = async (url: string) => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route(url, async (route) => {
      await held;
      await route.continue();
    });
    return release;
  };
  const here = () => new URL(page.url());

  describe('inbox', () => {
    /** Opens a conversation that a customer started. */
    const open = async (phone: string) => {
      await customer(stack.demo, stack.growth, phone).writes(`Hello from ${phone}`);
      await logIn();
      await go('inbox');
      await page.getByRole('button', { name: `Hello from ${phone}` }).click();
      return page.getByLabel('Reply');
    };
    const replied = async (text: string) => {
      const id = /\d+/.exec(here().searchParams.get('id') ?? '')?.[0];
      const { body } = await owner.call<Thread>('GET', `/api/client/conversations/${id}/messages`);
      return body.messages.filter((message) => message.direction === 'out' && message.text === text).length;
    };
    const SENDS = '**/api/client/conversations/*/messages';

    it('sends a reply once however often Enter is pressed, and keeps text typed meanwhile', async () => {
      const box = await open('12015550107');
      const held: (() => void)[] = [];
      await page.route(SENDS, async (route) => {
        if (route.request().method() === 'POST') await new Promise<void>((go) => held.push(go));
        await route.continue();
      });
      await box.fill('Only once.');
      await box.press('Enter');
      await box.press('Enter');
      await eventually(() => held.length > 0);
      await box.fill('And then');
      await box.press('Enter');
      held.forEach((release) => release());
      await page.getByRole('log').getByText('Only once.').first().waitFor();
      await eventually(async () => (await replied('Only once.')) > 0);
      await page.getByText('sending…').waitFor({ state: 'detached' });
      expect([held.length, await replied('Only once.'), await box.inputValue()]).toEqual([1, 1, 'And then']);
    });

    it('draws a row with its own style, which Mantine’s style of buttons must not replace', async () => {
      await open('12015550114');
      expect(await page.evaluate(`getComputedStyle(document.querySelector('.inbox-row')).padding`)).toBe('11px 14px');
    });

    it('decision 392: an agent assigns, labels, takes notes, answers by a quick reply, and closes by key', async () => {
      const [phone, next] = ['12015550111', '12015550112'];
      await owner.call('POST', '/api/client/quick-replies', { shortcut: 'hours', text: 'We open at nine.' });
      await customer(stack.demo, stack.growth, next).writes(`Hello from ${next}`);
      const box = await open(phone);
      const row = page.locator('.inbox-row').filter({ hasText: `Hello from ${phone}` });
      await page.getByRole('button', { name: 'Assign to a colleague' }).click();
      await page.getByRole('option', { name: /\(you\)/ }).click();
      await page.getByRole('button', { name: /^Mine 1$/ }).click();
      await row.waitFor();
      // The former view stays until the new one is there.
      await page
        .locator('.inbox-row')
        .filter({ hasText: `Hello from ${next}` })
        .waitFor({ state: 'detached' });
      await page.getByPlaceholder('Add a label').fill('Order 7');
      await page.keyboard.press('Enter');
      await row.getByText('Order 7').waitFor();
      const labelled = page.locator('.inbox-row').filter({ hasText: 'Order 7' });
      await page.getByRole('button', { name: 'Note', exact: true }).click();
      await page.getByRole('textbox', { name: 'Note' }).fill('Gift wrap');
      await page.keyboard.press('Enter');
      await page.getByRole('log').getByRole('note', { name: 'Note' }).getByText('Gift wrap').waitFor();
      await box.fill('/hou');
      await page.getByRole('option', { name: /hours/ }).waitFor();
      await box.press('Enter');
      expect(await box.inputValue()).toBe('We open at nine.');
      await box.press('Enter');
      await page.getByRole('log').getByText('We open at nine.').waitFor();
      await eventually(async () => (await replied('We open at nine.')) === 1);
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('button', { name: /^Open/ }).click();
      await labelled.waitFor();
      await labelled.focus();
      const id = here().searchParams.get('id');
      await page.keyboard.press('k');
      await eventually(() => here().searchParams.get('id') !== id);
      await page.keyboard.press('j');
      await eventually(() => here().searchParams.get('id') === id);
      await page.getByRole('button', { name: 'Close', exact: true }).waitFor();
      await page.keyboard.press('e');
      await page.getByRole('button', { name: /^Reopen/ }).waitFor();
      await labelled.waitFor({ state: 'detached' });
      await page.keyboard.press('r');
      await eventually(() => page.evaluate(`document.activeElement.getAttribute('aria-label') === 'Reply'`));
    });

    it('decision 403: an agent attaches a file by button, paste or drop, with a caption, and reads what is wrong with it', async () => {
      const box = await open('12015550115');
      const attached = page.getByRole('group', { name: 'Attached file' });
      const choose = (name: string, mimeType: string, bytes: string) =>
        page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer: Buffer.from(bytes, 'base64') });
      await choose('notes.zip', 'application/zip', 'UEsDBA==');
      await page.getByText(/^WhatsApp does not send files like notes\.zip/).waitFor();
      await choose('page.pdf', 'application/pdf', Buffer.from('<html>').toString('base64'));
      await page.getByText('page.pdf was not uploaded: The file is not of the type application/pdf.').waitFor();
      await choose('note.ogg', 'audio/ogg', Buffer.from('OggS a sound').toString('base64'));
      await box.fill('Listen');
      await page.getByText('WhatsApp allows no caption with audio: send the text by itself.').waitFor();
      expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true);
      await page.getByRole('button', { name: 'Remove the file' }).click();
      await attached.waitFor({ state: 'detached' });
      await choose('loom.png', 'image/png', PIXEL);
      await attached.getByText('loom.png').waitFor();
      await box.fill('The loom');
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.locator('form.inbox-composer button[type=submit]:enabled').click();
      const log = page.getByRole('log');
      await log.getByRole('img', { name: 'Picture' }).waitFor();
      await log.getByText('The loom').waitFor();
      await eventually(async () => (await replied('The loom')) === 1);
      expect([await attached.count(), await box.inputValue()]).toEqual([0, '']);
      for (const [event, carrier] of [
        ['paste', 'clipboardData'],
        ['drop', 'dataTransfer'],
      ]) {
        await page.evaluate(`{
          const ${carrier} = new DataTransfer();
          ${carrier}.items.add(new File(['Two metres'], '${event}.txt', { type: 'text/plain' }));
          const event = new ${event === 'paste' ? 'ClipboardEvent' : 'DragEvent'}('${event}', { ${carrier}, bubbles: true, cancelable: true });
          document.querySelector('textarea[aria-label=Reply]').dispatchEvent(event);
        }`);
        await attached.getByText(`${event}.txt`).waitFor();
      }
    });

    it('shows a phone the list, or one conversation with its reply field in view', async () => {
      await page.setViewportSize(PHONE);
      const box = await open('12015550113');
      const field = await box.boundingBox();
      expect(field && field.y + field.height).toBeLessThanOrEqual(PHONE.height);
      expect(await page.evaluate(OUT_OF_REACH)).toEqual([]);
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Back' }).click();
      await box.waitFor({ state: 'detached' });
      await eventually(() =>
        page.evaluate(`document.activeElement.matches('.inbox-row') && document.activeElement.textContent.includes('12015550113')`),
      );
    });

    it('decision 801: a notice covers no Close button of a drawer', async () => {
      await page.setViewportSize({ width: 1100, height: 800 });
      await open('12015550118');
      await page.route('**/api/client/conversations/*', (route) =>
        route.request().method() === 'PATCH' ? unavailable(route) : route.continue(),
      );
      const drawer = page.getByRole('dialog', { name: 'Customer' });
      const notice = page.locator('.mantine-Notification-root').first();
      /** Whether a click on the middle of the Close button reaches it while a notice is shown. */
      const isClear = () =>
        page.evaluate(`(() => {
          const close = document.querySelector('[role=dialog] [aria-label=Close]');
          const { left, top, width, height } = close.getBoundingClientRect();
          const isShown = document.querySelector('.mantine-Notification-root') !== null;
          return isShown && close.contains(document.elementFromPoint(left + width / 2, top + height / 2));
        })()`);
      for (const size of [{ width: 1100, height: 800 }, PHONE]) {
        await page.setViewportSize(size);
        await page.getByRole('button', { name: 'Details' }).click();
        await drawer.getByPlaceholder('Add a label').fill('Late');
        await page.keyboard.press('Enter');
        await notice.waitFor();
        await settled(page);
        expect([size.width, await isClear()]).toEqual([size.width, true]);
        await drawer.getByRole('button', { name: 'Close' }).click();
        await drawer.waitFor({ state: 'detached' });
      }
    });

    it('keeps a reply whose response was lost, with the reason; a retry reaches the customer once', async () => {
      const box = await open('12015550102');
      const keys: (string | undefined)[] = [];
      let isLost = true;
      await page.route(SENDS, async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        keys.push(route.request().headers()['idempotency-key']);
        if (!isLost) return route.continue();
        await route.fetch();
        return route.abort();
      });
      await box.fill('Your order is ready.');
      await box.press('Enter');
      const again = page.getByRole('button', { name: 'Send again' });
      await again.waitFor();
      // The page repeats a request once by itself.
      expect(keys).toEqual([expect.stringMatching(/^\S{16,}$/), keys[0]]);
      isLost = false;
      await again.click();
      await eventually(() => keys.length > 2);
      await page.getByText('sending…').waitFor({ state: 'detached' });
      expect(keys[2]).toBe(keys[0]);
      expect(await replied('Your order is ready.')).toBe(1);
    });
  });

  describe('unusual situations', () => {
    const seen = (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} });
        document.dispatchEvent(new Event('visibilitychange'))`);

    it('shows right-to-left text correctly and the date of older messages', async () => {
      const text = 'هل الطلب 1007 جاهز؟';
      const long = 'أريد أن أعرف متى يصل الطلب الذي طلبته في الأسبوع الماضي، لأنني سأسافر غدا ولن يكون أحد في البيت';
      await customer(stack.demo, stack.growth, '919876543231').writes(text);
      await customer(stack.demo, stack.growth, '919876543230').writes(long);
      await logIn();
      await setClock(new Date(Date.now() + 3 * 86_400_000));
      await go('inbox');
      await page.getByRole('button', { name: text }).click();
      const bubble = page.getByRole('log').getByText(text);
      expect(await bubble.evaluate((element) => (element as unknown as { matches(css: string): boolean }).matches(':dir(rtl)'))).toBe(true);
      // The base direction follows the typed text.
      expect(await page.evaluate(`getComputedStyle(document.querySelector('textarea[aria-label=Reply]')).unicodeBidi`)).toBe('plaintext');
      await page
        .getByRole('log')
        .getByText(/^[A-Z][a-z]{2} \d{1,2}(, \d{4})?$/)
        .waitFor();
      // An ellipsis cuts the end of a preview, not its beginning at the right.
      const overflow = `(() => {
        const preview = [...document.querySelectorAll('.inbox-row *')].find(({ textContent }) => textContent === '${long}');
        const letter = document.createRange();
        letter.setStart(preview.firstChild, 0);
        letter.setEnd(preview.firstChild, 1);
        return letter.getBoundingClientRect().right - preview.closest('.inbox-row > div').getBoundingClientRect().right;
      })()`;
      expect(await page.evaluate(overflow)).toBeLessThan(1);
    });

    it('decision 773: shows on a slow line that it loads, in the colors that the person chose, until the page is drawn', async () => {
      await leaveSharedContext();
      await page.emulateMedia({ colorScheme: 'light' });
      await go('login');
      await loginAddress(page);
      await page.evaluate(`localStorage.setItem('mantine-color-scheme-value', 'dark')`);
      const loading = page.getByRole('status').filter({ hasText: 'Loading…' });
      const load = await hold('**/assets/index-*');
      await page.goto(`${stack.demo.dashboard_url}/login`, { waitUntil: 'commit' });
      await loading.waitFor();
      const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
      await eventually(async () => (await background()) === 'rgb(36, 36, 36)');
      load();
      await loginAddress(page);
      await loading.waitFor({ state: 'hidden' });
      // The theme's own colors come after those of the style sheet.
      expect(await page.evaluate(`getComputedStyle(document.body).getPropertyValue('--mantine-color-dimmed')`)).toBe('#adb4bc');
      const [respond, loadFormats] = [await hold('**/api/client/me'), await hold('**/assets/min-*')];
      const home = page.waitForRequest(/assets\/home-page-/);
      await fillLogin(stack.growth.owner);
      await loading.waitFor();
      respond();
      await home;
      expect(await loading.isVisible()).toBe(true);
      loadFormats();
      await page.getByRole('heading', { name: 'Home' }).waitFor();
      await loading.waitFor({ state: 'hidden' });
    });

    it('fails a reply at once when offline, and does not send it later', async () => {
      const phone = '919876543232';
      await customer(stack.demo, stack.growth, phone).writes(`Hello from ${phone}`);
      await logIn();
      await ownClock();
      await go('inbox');
      await page.getByRole('button', { name: `Hello from ${phone}` }).click();
      await page.getByLabel('Reply').fill('Are you there?');
      await context.setOffline(true);
      await page.getByLabel('Reply').press('Enter');
      await page.getByRole('button', { name: 'Send again' }).waitFor();
      let sent = 0;
      page.on('request', (request) => (sent += Number(request.method() === 'POST')));
      const response = page.waitForResponse('**/api/client/conversations?view=**');
      await context.setOffline(false);
      await refresh();
      await response;
      expect(sent).toBe(0);
    });

    it('decision 631: a page whose code did not load offline opens when the network returns', async () => {
      await logIn();
      // The shared context has the code in its cache.
      await leaveSharedContext();
      await go('webhooks');
      await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
      await context.setOffline(true);
      await page.getByRole('link', { name: 'Usage' }).click();
      await page.getByText('It opens when you are online again.').waitFor();
      await context.setOffline(false);
      await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
    });

    it('marks data as outdated while it cannot be refreshed', async () => {
      await logIn();
      await ownClock();
      await go('inbox');
      await page
        .getByRole('button', { name: /Hello from/ })
        .first()
        .waitFor();
      await page.route('**/api/client/conversations*', unavailable);
      const old = page.getByRole('alert').getByText('This page may be out of date');
      await eventually(() => refresh().then(() => old.isVisible()));
      expect(await accessibilityFaults(page)).toEqual([]);
      const request = page.waitForRequest('**/api/client/conversations*');
      await page.getByRole('button', { name: 'Try again' }).click();
      await request;
      // The page also refreshes by itself: from here on the notice may go at any time.
      await page.unroute('**/api/client/conversations*');
      await eventually(() => refresh().then(() => old.isHidden()));
    });

    it('closes the event stream of a hidden tab', async () => {
      await logIn();
      const opened = page.waitForRequest('**/events/stream');
      await go('inbox');
      await opened;
      const closed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/events/stream'));
      await seen(true);
      await closed;
      const again = page.waitForRequest('**/events/stream');
      await seen(false);
      await again;
    });

    it('shows a not-found page with a link back for a mistyped address', async () => {
      const response = await go('nothing');
      expect(response?.status()).toBe(404);
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('link', { name: 'Back to the start' }).click();
      expect(await loginAddress(page)).toMatch(/\/login(\?|$)/);
      for (const [path, accept, status] of [
        ['nothing', '*/*', 404],
        ['api/v1/nothing', 'text/html', 404],
        ['api/v1/send-text', 'text/html', 405],
      ] as const) {
        const response = await fetch(`${stack.demo.site_url}/${path}`, { headers: { accept } });
        expect([path, response.status, await response.json()]).toEqual([path, status, expect.objectContaining({ success: false })]);
      }
    });
  });

  describe('two users at once', () => {
    it('shows no other user’s data after a login in another tab', async () => {
      await go('login');
      await fillLogin(stack.growth.owner);
      await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
      await go('settings');
      await page.getByRole('combobox', { name: 'Time zone' }).waitFor();
      const second = await context.newPage();
      await go('login', second);
      await fillLogin(stack.starter.owner, second);
      await page.getByRole('banner').getByText(stack.starter.name, { exact: true }).waitFor();
      await second.getByRole('button', { name: 'Your account' }).click();
      await second.getByRole('menuitem', { name: 'Log out' }).click();
      expect(await loginAddress(page)).toMatch(/\/login(\?|$)/);
    });
  });

  describe('sessions', () => {
    it('follows a link through the login to its target, and nowhere else', async () => {
      await go('messages?status=failed&q=zebra');
      expect(await loginAddress(page)).toMatch(/\/login\?next=/);
      await fillLogin(stack.growth.owner);
      await page.getByRole('heading', { name: 'Messages' }).waitFor();
      expect([here().pathname, here().searchParams.get('status'), here().searchParams.get('q')]).toEqual(['/messages', 'failed', 'zebra']);
      for (const next of [
        '//elsewhere.example/x',
        '/.//elsewhere.example',
        'https://elsewhere.example',
        'javascript:alert(1)',
        '/\\elsewhere.example',
      ]) {
        // Avoid the page's own redirect to the login while the test navigates there.
        await page.goto('about:blank');
        await context.clearCookies();
        await go(`login?next=${encodeURIComponent(next)}`);
        await fillLogin(stack.growth.owner);
        await page.waitForURL((url) => url.pathname !== '/login');
        expect([next, here().origin]).toEqual([next, new URL(stack.demo.dashboard_url).origin]);
      }
    });

    it('redirects every page to the login and back when the session has expired', async () => {
      await logIn();
      await ownClock();
      await go('inbox?q=Asha');
      await page.getByRole('heading', { name: 'Inbox' }).waitFor();
      await context.clearCookies();
      await refresh();
      expect(await loginAddress(page)).toMatch(/\/login\?next=/);
      await fillLogin(stack.growth.owner);
      await page.waitForURL('**/inbox?q=Asha');
    });

    it('decision 777: a page that the gateway did not open opens by itself when the gateway responds again', async () => {
      await logIn();
      await ownClock();
      await page.route('**/api/**', (route) => route.abort());
      await go('messages');
      await refresh();
      await page.getByRole('heading', { name: 'This page could not be opened' }).waitFor();
      await page.unroute('**/api/**');
      const opened = page.getByRole('heading', { name: 'Messages' });
      await eventually(async () => {
        await page.clock.fastForward(10_000);
        return opened.isVisible();
      });
    });

    it('does not redirect to the login when a service is unavailable', async () => {
      await logIn();
      await page.route('**/api/client/me', unavailable);
      await go('messages');
      await page.getByRole('alert').getByText('A service is unavailable.').waitFor();
      await page.unroute('**/api/client/me');
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('heading', { name: 'Messages' }).waitFor();
    });
  });

  it('decision 779: the Tab key leaves the focus under no header, of a page or of a dialog', async () => {
    const recipients = ['12015550115', '12015550116'].map((phone) => ({ phone, body_params: ['Asha', '1'] }));
    const broadcast = { name: 'Tab', template_name: 'order_update', language: 'en', recipients };
    const { body } = await owner.call<{ id: number }>('POST', '/api/client/broadcasts', broadcast);
    await logIn();
    await page.setViewportSize({ width: 1280, height: 420 });
    /** The name of the element that has the focus, and whether a header covers it. */
    const focused = `(() => {
      const { left, top, width, height } = document.activeElement.getBoundingClientRect();
      const seen = document.elementFromPoint(left + Math.min(width / 2, 40), top + height / 2);
      return [document.activeElement.textContent.slice(0, 40), seen?.closest('header') !== document.activeElement.closest('header')];
    })()`;
    for (const [path, shown] of [
      ['templates?edit=new', 'Submit for review'],
      [`broadcasts?id=${body.id}`, 'Duplicate'],
    ] as const) {
      await go(path);
      await page.getByRole('button', { name: shown }).waitFor();
      // A page begins with the focus nowhere, from where Shift+Tab leads to its end.
      const names: string[] = [];
      while (!names.includes(shown) || names.length < 30) {
        await page.keyboard.press('Shift+Tab');
        const [name = '', isCovered] = await page.evaluate<[string, boolean]>(focused);
        if (name !== '') expect([path, name, isCovered]).toEqual([path, name, false]);
        names.push(name);
      }
    }
  });

  it('shows the name of a column at the left of its cell on a phone, also beside a text from right to left', async () => {
    const operator = await dashboardUser(stack.demo.site_url, stack.demo.operator);
    await operator.call('POST', '/api/admin/businesses', { name: 'متجر الأقمشة', plan: 'Pro' });
    await logIn(stack.demo.operator);
    await page.setViewportSize(PHONE);
    await go('operator');
    const lefts: number[] = [];
    for (const name of [stack.growth.name, 'متجر الأقمشة']) {
      const box = await page.getByRole('main').getByRole('link', { name, exact: true }).boundingBox();
      lefts.push(Math.round(box?.x ?? 0));
    }
    expect(lefts).toEqual([expect.any(Number), lefts[0]]);
    expect(lefts[0]).toBeGreaterThan(100);
  });

  it('marks requests of an idle page, which keep no session alive (spec §10: 12 idle hours)', async () => {
    await logIn();
    await ownClock();
    await go('messages');
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    /** Waits for the response to a refresh after this time on the page: during one, no other begins. */
    const requestAfter = (ms: number, unattended: string | undefined) => {
      const isExpected = (request: Request) =>
        request.url().includes('/api/client/messages?') && request.headers()['x-unattended'] === unattended;
      return Promise.all([page.waitForResponse((response) => isExpected(response.request())), page.clock.fastForward(ms)]);
    };
    await requestAfter(6_000, undefined);
    await requestAfter(2 * 60_000, '1');
    await page.keyboard.press('Tab');
    await requestAfter(6_000, undefined);
  });

  describe('webhooks', () => {
    it('shows bytes, headers and response of a test event, and a curl line that repeats it', async () => {
      const receiver = await startReceiver();
      try {
        const url = `${receiver.url}/it's?a=1`;
        await owner.call('POST', '/api/client/webhooks', { name: 'Tested', url, events: ['message.sent'], secret: 'swordfish' });
        await logIn();
        await go('webhooks');
        await page.getByRole('button', { name: 'Actions for Tested' }).click();
        await page.getByRole('menuitem', { name: 'Deliveries and test events' }).click();
        const drawer = page.getByRole('dialog');
        const event = drawer.getByRole('combobox', { name: 'Sample event' });
        expect(await event.inputValue()).toBe('message.sent');
        await event.click();
        await page.getByRole('option', { name: 'conversation.created' }).click();
        await drawer.getByText('This webhook does not subscribe to this event').waitFor();
        await drawer.getByRole('button', { name: 'Send test event' }).click();
        await drawer.getByText(/^200 · \d+ ms$/).waitFor();
        const [sent] = receiver.requests;
        expect(sent && JSON.parse(sent.body)).toMatchObject({ event: 'conversation.created' });
        await drawer.getByText(sent?.body as string, { exact: true }).waitFor();
        await drawer.getByText(`Body, ${Buffer.byteLength(sent?.body as string)} bytes`).waitFor();
        const signature = sent?.headers['x-service-signature'] as string;
        await drawer.getByText(`x-service-signature: ${signature}`).first().waitFor();
        expect(await accessibilityFaults(page)).toEqual([]);
        const line = (await drawer.locator('pre').last().textContent()) ?? '';
        expect(line).toMatch(/^curl /);
        expect(await runToEnd('sh', ['-c', line])).toMatchObject({ status: 0 });
        const again = receiver.requests[1];
        expect([again?.method, again?.path, again?.body]).toEqual([sent?.method, sent?.path, sent?.body]);
        for (const name of ['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp', 'webhook-signature', 'x-service-signature'])
          expect([name, again?.headers[name]]).toEqual([name, sent?.headers[name]]);
        // A phone shows it without horizontal scrolling.
        await page.setViewportSize(PHONE);
        await drawer.getByText('The same request with curl').waitFor();
        const beyond = await page.evaluate<string[]>(`[...document.querySelectorAll('[role=dialog] *')]
          .filter((element) => element.getBoundingClientRect().right > innerWidth || element.scrollWidth > innerWidth)
          .map((element) => element.outerHTML.slice(0, 120))`);
        expect(beyond).toEqual([]);
      } finally {
        await receiver.close();
      }
    });

    it('decision 353: redelivers all that failed since a time, and shows how far it is', async () => {
      const receiver = await startReceiver();
      try {
        const hook = { name: 'Down', url: receiver.url, events: ['message.sent'] };
        const { id } = (await owner.call<{ id: number }>('POST', '/api/client/webhooks', hook)).body;
        receiver.respond((_, response) => void response.writeHead(503).end());
        const crm = integrator(stack.demo.base_url, stack.growth.api_key);
        for (const n of [1, 2, 3])
          await crm.post('send-template', { phone: `1201555017${n}`, template_name: 'order_update', body_params: ['Asha', '1'] });
        await eventually(() => receiver.requests.length === 3);
        const ids = () => receiver.requests.map(({ headers }) => headers['webhook-id']).toSorted();
        const failed = ids();
        let release = (): void => {};
        const held = new Promise<void>((resolve) => (release = resolve));
        receiver.respond((_, response) => void held.then(() => response.writeHead(200).end()));
        await logIn();
        await go(`webhooks?id=${id}`);
        const drawer = page.getByRole('dialog');
        await drawer.getByText('responded 503 instead of 200').nth(2).waitFor();
        await drawer.getByLabel('Redeliver all failed since').fill('2026-01-01T00:00');
        await drawer.getByRole('button', { name: 'Redeliver all' }).click();
        await drawer.getByText('Redelivering: 0 of 3 attempted').waitFor();
        await drawer.getByRole('progressbar', { name: 'Progress of the redelivery' }).waitFor();
        expect(await accessibilityFaults(page)).toEqual([]);
        release();
        await drawer.getByText(/^Last redelivery .*: 3 attempted$/).waitFor();
        expect(ids()).toEqual([...failed, ...failed].toSorted());
        await owner.call('DELETE', `/api/client/webhooks/${id}`);
      } finally {
        await receiver.close();
      }
    });
  });

  describe('home', () => {
    let pro: DemoBusiness;
    beforeAll(() => {
      // This business has sent nothing yet.
      pro = stack.demo.businesses.find(({ plan }) => plan === 'Pro') as DemoBusiness;
    });
    const card = (name: string) => page.locator('.mantine-Card-root', { has: page.getByRole('heading', { name, exact: true }) });

    const metric = (name: string) =>
      page.locator('.mantine-Paper-root:not(.mantine-Card-root)', { has: page.getByText(name, { exact: true }) });
    const reasons = () => card('Why messages failed');
    const order = (phone: string) => ({ phone, template_name: 'order_update', body_params: ['Asha', '1'] });

    it('shows an error with a retry on each card that fails, and no made-up count', async () => {
      await logIn(pro.owner);
      await page.route('**/api/client/messages/counts*', unavailable);
      await page.route('**/api/client/webhooks', unavailable);
      await go('');
      for (const name of ['From accepted to read', 'Why messages failed', 'Webhooks, last 24 hours'])
        await card(name).getByRole('alert').waitFor();
      expect(await metric('Sent').textContent()).toBe('Sent–');
      expect(await card('First steps').count()).toBe(0);
      await page.getByRole('region', { name: 'Connection' }).getByText('Northlight Clinic').waitFor();
      await page.unroute('**/api/client/messages/counts*');
      await page.unroute('**/api/client/webhooks');
      await reasons().getByRole('button', { name: 'Try again' }).click();
      await reasons().getByText('No message failed in this period.').waitFor();
      await card('Webhooks, last 24 hours').getByRole('button', { name: 'Try again' }).click();
      await card('First steps').getByRole('link', { name: 'Add a webhook' }).waitFor();
    });

    it('decision 440: shows the first steps until the first delivered message, counts as other pages do, and links to the failures', async () => {
      await openHome(pro.owner);
      await card('First steps').waitFor();
      const crm = integrator(stack.demo.base_url, pro.api_key);
      for (const phone of ['+1 201 555 0100', '+1 201 555 0126', '+1 201 555 0126'])
        expect((await crm.post('send-template', order(phone))).status).toBe(200);
      await card('First steps').waitFor({ state: 'detached' });
      await reasons().getByRole('link', { name: '2 messages' }).waitFor();
      await eventually(async () => (await metric('Failed').textContent())?.includes('66.7 %'));
      const person = await dashboardUser(stack.demo.site_url, pro.owner);
      type Counts = Record<'sent' | 'delivered' | 'read' | 'failed' | 'refused', number>;
      const sumOf = (lines: Counts[]) =>
        (['sent', 'delivered', 'read', 'failed', 'refused'] as const).map((name) => lines.reduce((sum, line) => sum + line[name], 0));
      // Each page reads at its own time, so both settle first.
      await eventually(async () => {
        const counted = await person.call<{ bars: { counts: Counts[] }[] }>('GET', '/api/client/messages/counts?period=30d');
        const used = await person.call<{ usage: Counts[] }>('GET', '/api/client/usage');
        expect(sumOf(counted.body.bars.flatMap(({ counts }) => counts))).toEqual([3, 1, 1, 2, 0]);
        expect(sumOf(used.body.usage)).toEqual([3, 1, 1, 2, 0]);
        return true;
      });

      // Nothing moves while live data comes, even for most people, who see motion.
      await page.emulateMedia({ reducedMotion: 'no-preference' });
      await customer(stack.demo, pro, '12015550177').writes('Hello?');
      await metric('Waiting for a reply')
        .getByText(/longest \d+ min/)
        .waitFor();
      await page.evaluate(`new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) window.shifted = (window.shifted ?? 0) + value;
      }).observe({ type: 'layout-shift' })`);
      expect((await crm.post('send-template', order('+1 201 555 0126'))).status).toBe(200);
      const link = reasons().getByRole('link', { name: '3 messages' });
      await link.waitFor();
      expect(await page.evaluate('window.shifted ?? 0')).toBeLessThan(0.01);
      await link.click();
      await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
      await eventually(async () => (await page.getByRole('row').filter({ hasText: '+1 201 555 0126' }).count()) === 3);
      expect(here().searchParams.get('failure_code')).toMatch(/\d+/);
    });
  });

  describe('the plan bar', () => {
    const bar = () => page.getByRole('region', { name: 'Daily cap' });

    it('shows the key with the highest usage, warns from 80 %, and explains refusals at 100 %', async () => {
      const made = await owner.call<{ id: number; key: string }>('POST', '/api/client/api-keys', { name: 'Capped', permissions: ['*'] });
      const operator = await dashboardUser(stack.demo.site_url, stack.demo.operator);
      expect((await operator.call('PATCH', `/api/admin/api-keys/${made.body.id}`, { daily_limit: 5 })).status).toBe(200);
      const crm = integrator(stack.demo.base_url, made.body.key);
      const send = () => crm.post('send-template', { phone: '+1 201 555 0100', template_name: 'order_update', body_params: ['Asha', '1'] });
      for (let i = 0; i < 3; i++) expect((await send()).status).toBe(200);
      await openHome();
      await bar().getByText('3 of 5 API sends today').waitFor();
      await bar()
        .getByText(/^Capped, the most used of \d+ keys$/)
        .waitFor();
      expect(await bar().getByLabel('Nearly used up').count()).toBe(0);
      expect((await send()).status).toBe(200);
      await go('messages');
      await bar().getByText('4 of 5 API sends today').waitFor();
      await bar().getByLabel('Nearly used up').waitFor();
      expect([await page.getByRole('alert').count(), await accessibilityFaults(page)]).toEqual([0, []]);

      expect((await send()).status).toBe(200);
      expect((await send()).body['error_code']).toBe('DAILY_LIMIT_REACHED');
      for (const path of ['messages', 'templates']) {
        await go(path);
        const banner = page.getByRole('alert');
        await banner.getByText('Today’s cap is used up: Capped').waitFor();
        await banner.getByText(/refused with DAILY_LIMIT_REACHED for .+ \(00:00 Asia\/Kolkata\)/).waitFor();
      }
      expect(await accessibilityFaults(page)).toEqual([]);
      await owner.call('DELETE', `/api/client/api-keys/${made.body.id}`);
      await go('messages');
      await bar()
        .getByText(/ of 150 API sends today$/)
        .waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
    });
  });

  describe('without a mouse', () => {
    const FOCUSED = 'document.activeElement';
    /** Presses Tab until the element has the focus, and checks that every focus is visible. */
    const tabTo = async (name: RegExp) => {
      for (let stops = 0; stops < 60; stops++) {
        await page.keyboard.press('Tab');
        const at = await page.evaluate<{ name: string; seen: boolean; html: string }>(`(() => {
          const { outlineStyle } = getComputedStyle(${FOCUSED});
          const name = ${FOCUSED}.getAttribute('aria-label') ?? ${FOCUSED}.labels?.[0]?.textContent ?? ${FOCUSED}.textContent;
          const seen = outlineStyle !== 'none' || ${FOCUSED}.matches('input, textarea');
          return { name, seen, html: ${FOCUSED}.outerHTML.slice(0, 150) };
        })()`);
        if (at.html.startsWith('<body')) continue;
        expect(at).toMatchObject({ seen: true });
        if (name.test(at.name)) return;
      }
      throw new Error(`no stop of the Tab key is called ${name}`);
    };
    const palette = () => page.getByRole('textbox', { name: 'Find a customer, message, template or page' });
    const openPalette = async () => {
      await page.keyboard.press('Control+k');
      await palette().waitFor();
      await eventually(() => page.evaluate(`${FOCUSED}.matches('input[aria-label="Find a customer, message, template or page"]')`));
    };

    it('handles shortcuts as soon as a page is drawn, before their targets are loaded', async () => {
      const load = await hold('**/assets/keyboard-*.js');
      await openHome();
      await page.keyboard.press('g');
      await page.keyboard.press('m');
      await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
      const link = page.getByRole('link', { name: 'Templates' });
      await link.focus();
      await page.keyboard.press('Control+k');
      load();
      await palette().waitFor();
      await eventually(() => page.evaluate(`${FOCUSED}.matches('input')`));
      await page.keyboard.press('Escape');
      await palette().waitFor({ state: 'detached' });
      await eventually(() => page.evaluate(`${FOCUSED}.textContent === 'Templates'`));
    });

    it('logs in, finds a conversation and replies', async () => {
      const phone = '919876543211';
      await customer(stack.demo, stack.growth, phone).writes(`Hello from ${phone}`);
      await go('login');
      await page.getByLabel('Email').waitFor();
      await tabTo(/^Email/);
      await page.keyboard.type(stack.growth.owner.email);
      await tabTo(/^Password/);
      await page.keyboard.type(stack.growth.owner.password);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Home' }).waitFor();
      await openPalette();
      await page.keyboard.type('inb');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Inbox' }).waitFor();
      await page.getByRole('button', { name: `Hello from ${phone}` }).waitFor();
      await tabTo(new RegExp(`Hello from ${phone}`));
      await page.keyboard.press('Enter');
      await page.getByLabel('Reply').waitFor();
      await tabTo(/^Quick replies$/);
      await tabTo(/^Reply$/);
      await page.keyboard.type('By hand.');
      await page.keyboard.press('Enter');
      await page.getByRole('log').getByText('By hand.').first().waitFor();
      const id = here().searchParams.get('id');
      await eventually(async () => {
        const { body } = await owner.call<Thread>('GET', `/api/client/conversations/${id?.replaceAll('"', '')}/messages`);
        return body.messages.some(({ direction, text }) => direction === 'out' && text === 'By hand.');
      });
    });

    it('opens every page and its main action from the palette; Esc restores the focus', async () => {
      await openHome();
      await page.getByRole('link', { name: 'Messages', exact: true }).focus();
      await openPalette();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await palette().waitFor({ state: 'detached' });
      await eventually(() => page.evaluate(`${FOCUSED}.textContent === 'Messages'`));
      await openPalette();
      await page.keyboard.type('new broad');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'New broadcast' }).waitFor();
      expect(here().pathname).toBe('/broadcasts');
      for (const [typed, path, dialog] of [
        ['create an', '/api-keys', 'Create an API key'],
        ['add a web', '/webhooks', 'Add a webhook'],
        // The current page.
        ['add a web', '/webhooks', 'Add a webhook'],
      ] as const) {
        await openPalette();
        await page.keyboard.type(typed);
        await page.keyboard.press('Enter');
        await page.getByRole('dialog', { name: dialog }).waitFor();
        expect(here().pathname).toBe(path);
        await eventually(() => page.evaluate(`${FOCUSED}.closest('[role=dialog]') !== null`));
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
      await openPalette();
      await page.keyboard.type('zebra');
      await page.getByText('No results').waitFor();
    });

    it('opens each page with g and a letter, and lists the shortcuts with ?', async () => {
      await openHome();
      await page.keyboard.press('?');
      const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
      await help.waitFor();
      const listed = await help.getByRole('row').allTextContents();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.keyboard.press('g');
      await page.keyboard.press('m');
      await page.keyboard.press('Escape');
      await help.waitFor({ state: 'detached' });
      expect(here().pathname).toBe('/');
      const chords = listed.flatMap((row) => [...row.matchAll(/^g(\w)(.+)$/g)].map(([, key = '', title = '']) => ({ key, title })));
      expect(chords).toHaveLength(await page.getByLabel('Pages', { exact: true }).locator('.mantine-NavLink-root').count());
      for (const { key, title } of chords) {
        // A busy machine may exceed the time limit between the two keys.
        await eventually(async () => {
          await page.keyboard.press('g');
          await page.keyboard.press(key);
          return page.getByRole('heading', { level: 1, name: title }).isVisible();
        });
      }
    });

    it('decision 765: in the dark the focus of a card, a field and a switch that is off differ from their surroundings by 3:1', async () => {
      const recipients = [{ phone: '+12015550100', body_params: ['Asha', '1'] }];
      const list = { name: 'Focus', template_name: 'order_update', language: 'en', recipients };
      expect((await owner.call('POST', '/api/client/broadcasts', list)).status).toBe(200);
      await logIn();
      await page.emulateMedia({ colorScheme: 'dark' });
      const contrast = (element: string, property: string) =>
        page.evaluate<number>(`(() => {
          const rgb = (element, property) => getComputedStyle(element)[property].match(/[\\d.]+/g).map(Number);
          const light = (channels) => channels.slice(0, 3).reduce((sum, value, i) => sum + [0.2126, 0.7152, 0.0722][i] *
            (value > 10.3 ? ((value / 255 + 0.055) / 1.055) ** 2.4 : value / 3294.6), 0.05);
          const element = ${element};
          let around = element.parentElement;
          while (rgb(around, 'backgroundColor')[3] === 0) around = around.parentElement;
          const [a, b] = [light(rgb(element, '${property}')), light(rgb(around, 'backgroundColor'))];
          return Math.max(a, b) / Math.min(a, b);
        })()`);
      await go('broadcasts');
      await page.getByRole('button', { name: /^Focus/ }).waitFor();
      await tabTo(/^Focus/);
      expect(await contrast(FOCUSED, 'outlineColor')).toBeGreaterThanOrEqual(3);
      await go('settings');
      const email = page.getByLabel('Email');
      await email.waitFor();
      const field = `document.querySelector('input[type=email]')`;
      expect(await contrast(field, 'borderTopColor')).toBeGreaterThanOrEqual(3);
      await email.focus();
      expect(await contrast(field, 'outlineColor')).toBeGreaterThanOrEqual(3);
      const off = `document.querySelector('[role=switch]:not(:checked) + *')`;
      expect(await contrast(off, 'backgroundColor')).toBeGreaterThanOrEqual(3);
      await page.emulateMedia({ colorScheme: 'light' });
    });

    it('types shortcut keys as text in a field, except Ctrl K', async () => {
      await logIn();
      await go('messages');
      const search = page.getByRole('textbox').first();
      await search.focus();
      await page.keyboard.type('gi?');
      expect(await search.inputValue()).toBe('gi?');
      expect([here().pathname, await page.getByRole('dialog').count()]).toEqual(['/messages', 0]);
      // Decision 183: Ctrl K types nothing.
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog', { name: /^Find a customer/ }).waitFor();
    });
  });

  describe('lists', () => {
    it('keeps the search in the address, and distinguishes no match from an empty list', async () => {
      await logIn();
      await go('messages');
      const search = page.getByRole('textbox', { name: 'Search' });
      await search.fill('zebra');
      await page.getByText('No results').waitFor();
      expect(here().searchParams.get('q')).toBe('zebra');
      await page.reload();
      await page.getByText('No results').waitFor();
      expect(await search.inputValue()).toBe('zebra');
      const phone = page.getByRole('textbox', { name: 'Phone' });
      await phone.fill('+1 201 555 0100');
      await phone.press('Enter');
      await page.waitForURL(/phone=/);
      await page.getByRole('link', { name: 'Messages', exact: true }).click();
      await page.getByText('No results').waitFor({ state: 'detached' });
      await eventually(async () => [await search.inputValue(), await phone.inputValue()].join('') === '');
      await go('inbox');
      await search.fill('zebra');
      await page.getByText('No name, number or message matches').waitFor();
    });

    /** Limits lists to pages of this size. */
    const paged = (path: RegExp, limit: number) =>
      page.route(path, (route) => {
        const url = new URL(route.request().url());
        url.searchParams.set('limit', String(limit));
        return route.request().method() === 'GET' ? route.continue({ url: url.href }) : route.continue();
      });

    it('continue after their first page', async () => {
      const phones = ['919876543201', '919876543202', '919876543203'];
      for (const phone of phones) {
        await customer(stack.demo, stack.growth, phone).writes(`Page ${phone}`);
        // Platform times have whole seconds; within one, the order of arrival decides.
        await eventually(async () => {
          const { body } = await owner.call<{ conversations: object[] }>('GET', `/api/client/conversations?q=${phone}`);
          return body.conversations.length === 1;
        });
        const suppressed = await owner.call('PUT', `/api/client/suppressions/${phone}`, { state: 'opted_out_marketing' });
        expect(suppressed.status).toBe(200);
      }
      await logIn();
      await paged(/\/api\/client\/(conversations|suppressions)(\?|$)/, 1);
      await go('inbox');
      // The inbox loads its next page when a person nears the end of the list (decision 550).
      for (const phone of phones) await page.getByRole('button', { name: `Page ${phone}` }).waitFor();
      await go('settings');
      for (const phone of ['+91 98765 43202', '+91 98765 43201']) {
        await page.getByRole('button', { name: 'Show more' }).click();
        await page.getByText(phone, { exact: true }).waitFor();
      }
    });

    /**
     * Scrolls to the end of the loaded rows again and again. It runs in the page, because polling from here costs more than drawing the rows.
     * @param box selects what scrolls, the list's rows lie in it
     * @param until a row's text that the scrolling has to reach
     * @returns the most rows that the page held
     */
    const scrollDown = (box: string, row: string, until: string) =>
      page.evaluate<number>(`new Promise((resolve, reject) => {
        const end = Date.now() + 200_000;
        let most = 0;
        const step = () => {
          const box = document.querySelector('${box}');
          const rows = [...document.querySelectorAll('${row}')];
          most = Math.max(most, rows.length);
          box.scrollTop = box.scrollHeight;
          const isThere = (element) => element.textContent === '${until}' && element.checkVisibility();
          if (rows.some((each) => [...each.querySelectorAll('*')].some(isThere))) resolve(most);
          else if (Date.now() > end) reject(new Error('no row ${until}'));
          else setTimeout(step, 50);
        };
        step();
      })`);

    it('decisions 442, 650: a log of 100,000 messages and an inbox of 20,000 conversations scroll, filter and search', async () => {
      const operator = await dashboardUser(stack.demo.site_url, stack.demo.operator);
      const business = { name: 'Large', plan: 'Pro', timezone: 'UTC' };
      const { id } = (await operator.call<{ id: number }>('POST', '/api/admin/businesses', business)).body;
      const large = { email: 'owner@large.example', password: 'a long enough password' };
      await operator.call('POST', `/api/admin/businesses/${id}/users`, { ...large, name: 'Owner', role: 'owner' });
      await Promise.all([fillLog(stack, id, 100_000), fillInbox(stack, id, 20_000)]);
      await logIn(large);

      await go('messages');
      const table = page.getByRole('table', { name: 'Messages' });
      const message = (n: number) => table.getByText(`Message ${n}`, { exact: true });
      await message(1).waitFor();
      expect(await scrollDown('html', '.log-line', 'Message 1000')).toBeLessThan(80);
      await page.getByRole('button', { name: 'Back to the newest' }).click();
      await message(1).waitFor();
      const [from, to] = [sentAt(100_000 + 1_000), sentAt(100_000 - 150)].map((at) => encodeURIComponent(at.toISOString()));
      await go(`messages?from=${from}&to=${to}`);
      await scrollDown('html', '.log-line', 'Message 100000');
      await go('messages?status=failed');
      await message(1_000).waitFor();
      await page.getByRole('button', { name: 'Search older messages' }).click();
      await scrollDown('html', '.log-line', 'Message 99000');
      await page.getByRole('textbox', { name: 'Search' }).fill('Message 40000');
      await message(40_000).waitFor();

      await go('inbox');
      const person = (n: number) => page.locator('.inbox-row').getByText(`Person ${n}`, { exact: true });
      await person(1).waitFor();
      expect(await scrollDown('.inbox-rows', '.inbox-row', 'Person 1000')).toBeLessThan(80);
      await page.getByRole('button', { name: 'Back to the newest' }).click();
      await person(1).waitFor();
      await page.getByRole('textbox', { name: 'Search' }).fill('Person 19999');
      await person(19_999).waitFor();
    });

    it('opens a thread at its newest message and loads older ones above', async () => {
      const phone = '919876543204';
      const lines = Array.from({ length: 24 }, (_, i) => `Line ${i + 1} of ${phone}`);
      for (const line of lines) await customer(stack.demo, stack.growth, phone).writes(line);
      await logIn();
      await paged(/\/api\/client\/conversations\/\d+\/messages/, 20);
      await go('inbox');
      await page.getByRole('button', { name: `Line 24 of ${phone}` }).click();
      const log = page.getByRole('log');
      await log.getByText(lines[23] as string).waitFor();
      const isVisible = async (line: string) => {
        const [around, box] = [await log.boundingBox(), await log.getByText(line, { exact: true }).boundingBox()];
        return around !== null && box !== null && box.y >= around.y && box.y + box.height <= around.y + around.height;
      };
      expect(await isVisible(lines[23] as string)).toBe(true);
      expect(await log.getByText(lines[0] as string, { exact: true }).count()).toBe(0);
      await log.getByRole('button', { name: 'Older messages' }).click();
      await log.getByText(lines[0] as string, { exact: true }).waitFor();
      expect(await isVisible(lines[4] as string)).toBe(true);
    });
  });

  describe('messages', () => {
    it('decision 442: keeps filters in the address, counts and exports the same messages, and shows what belongs to one', async () => {
      const crm = integrator(stack.demo.base_url, stack.growth.api_key);
      const sent = await crm.post('send-template', {
        phone: '+1 201 555 0173',
        template_name: 'order_update',
        body_params: ['Asha', '8118'],
      });
      expect(sent.status).toBe(200);
      await logIn();
      await go('messages?period=24h&sent_by=api&type=template&template=order_update');
      await page.getByText(/^\d+ messages?$/).waitFor();
      await page.getByLabel('Phone').fill('55501 73');
      await page.keyboard.press('Enter');
      await eventually(() => here().searchParams.get('phone') === '55501 73');
      const row = page.getByRole('row', { name: /8118/ });
      await row.waitFor();
      // The address changes before the page is drawn.
      const href = await page.locator('a[download][href*="phone="]').getAttribute('href');
      const csv = await page.evaluate<string>(`fetch(${JSON.stringify(href)}).then((response) => response.text())`);
      expect(csv).toMatch(/^message_id,sent_at,.*\r\n([^\n]*,12015550173,template,order_update,[^\n]*\r\n)+$/);
      expect(csv).toContain('your order 8118');
      // Anywhere in the row.
      await row.getByText('API', { exact: true }).click();
      const drawer = page.getByRole('dialog');
      await drawer.getByText('API, key Demo key').waitFor();
      await drawer.getByText(/^template order_update \(en/).waitFor();
      await drawer.getByText(sent.headers.get('x-request-id') ?? 'no id').waitFor();
      await drawer.getByText(/"body_params":\["Asha","8118"\]/).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.reload();
      await drawer.getByRole('link', { name: 'Open in the inbox' }).click();
      await page.getByRole('log').getByText('8118').first().waitFor();
    });
  });

  it('refreshes the message log with one request at a time during dozens of sends a second', async () => {
    await logIn();
    const first = page.waitForResponse('**/api/client/messages?**');
    await recordLayoutShifts(page);
    await go('messages');
    await first;
    let requests = 0;
    page.on('request', (request) => (requests += Number(request.url().includes('/api/client/messages?'))));
    const recipients = Array.from({ length: 2_000 }, (_, i) => ({
      phone: `1202557${String(i).padStart(4, '0')}`,
      body_params: ['Asha', i],
    }));
    const draft = { name: 'Busy', template_name: 'order_update', recipients };
    const { id } = (await owner.call<{ id: number }>('POST', '/api/client/broadcasts', draft)).body;
    const sent = async () => (await owner.call<{ sent: number }>('GET', `/api/client/broadcasts/${id}`)).body.sent;
    await page
      .getByRole('row', { name: /\+1 202 557 \d{4}/ })
      .first()
      .waitFor();
    // Decision 552: no row moves under the pointer.
    await forgetShifts(page);
    await eventually(async () => (await sent()) > 150, { timeoutMs: 120_000 });
    expect(await visibleShifts(page)).toEqual([]);
    await owner.call('POST', `/api/client/broadcasts/${id}/cancel`, {});
    expect(requests * 4).toBeLessThan(await sent());
  });

  it('decision 552: nothing moves while messages come to the inbox and a thread, and webhooks are triggered, even on a phone', async () => {
    const [open, other] = ['919876543241', '919876543242'];
    const receiver = await startReceiver();
    const hook = { name: 'Steady', url: receiver.url, events: ['message.received'] };
    const { id } = (await owner.call<{ id: number }>('POST', '/api/client/webhooks', hook)).body;
    await customer(stack.demo, stack.growth, open).writes(`Hello from ${open}`);
    await logIn();
    await recordLayoutShifts(page);
    const moved: [string, unknown[]][] = [];
    /** Waits until the page is at rest, and then for what the live data shows. */
    const during = async (name: string, live: () => Promise<unknown>) => {
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      await settled(page);
      await forgetShifts(page);
      await live();
      await settled(page);
      moved.push([name, await visibleShifts(page)]);
    };
    const row = (text: string) => page.locator('.inbox-row').filter({ hasText: text });
    try {
      await go('inbox');
      await row(open).click();
      await page.getByLabel('Reply').waitFor();
      await during('inbox and thread', async () => {
        await customer(stack.demo, stack.growth, other).writes(`Hello from ${other}`);
        await row(other).waitFor();
        await customer(stack.demo, stack.growth, open).writes('And more');
        await page.getByRole('log').getByText('And more').waitFor();
        await row('And more').waitFor();
      });
      await page.setViewportSize(PHONE);
      await during('thread on a phone', async () => {
        await customer(stack.demo, stack.growth, open).writes('One more');
        await page.getByRole('log').getByText('One more').waitFor();
      });
      await page.getByRole('button', { name: 'Back' }).click();
      await row('One more').waitFor();
      await during('inbox on a phone', async () => {
        await customer(stack.demo, stack.growth, other).writes('At last');
        await row('At last').waitFor();
      });
      const card = page.locator('.mantine-Card-root', { hasText: receiver.url });
      const counted = (number: number) => card.getByText(`100 % of ${number} in 24 hours succeeded`);
      await go('webhooks');
      await counted(5).waitFor();
      await during('webhooks on a phone', async () => {
        await customer(stack.demo, stack.growth, other).writes('Thanks');
        await counted(6).waitFor();
      });
      await go(`webhooks?id=${id}`);
      await page.getByRole('dialog').getByRole('listitem').nth(5).waitFor();
      await during('deliveries on a phone', async () => {
        await customer(stack.demo, stack.growth, other).writes('See you');
        await page.getByRole('button', { name: 'Show new deliveries (1)' }).waitFor();
      });
      expect(moved.filter(([, shifts]) => shifts.length > 0)).toEqual([]);
      expect(moved).toHaveLength(5);
    } finally {
      await owner.call('DELETE', `/api/client/webhooks/${id}`);
      await receiver.close();
    }
  });

  describe('broadcasts', () => {
    it('creates a broadcast once when responses are lost, however often it is retried', async () => {
      const name = `Lost ${Date.now()}`;
      const keys: (string | undefined)[] = [];
      await page.route('**/api/client/broadcasts', async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        keys.push(route.request().headers()['idempotency-key']);
        if (keys.length > 2) return route.continue();
        await route.fetch();
        return route.abort();
      });
      await logIn();
      await go('broadcasts?new=template');
      await page.getByRole('combobox', { name: 'Template' }).click();
      await page.getByRole('option', { name: 'order_update (en)' }).click();
      await page.getByRole('button', { name: 'Continue to recipients' }).click();
      await page.getByLabel('Or paste the rows here').fill('phone,name,order\n+1 201 555 0100,Asha,1007\n');
      await page.getByRole('button', { name: 'Continue to values' }).click();
      await page.getByRole('button', { name: 'Continue to the check' }).click();
      await page.getByLabel('Name').fill(name);
      const start = async () => {
        await page.getByRole('button', { name: 'Start sending' }).click();
        await page.getByRole('button', { name: 'Send to 1 person' }).click();
      };
      await start();
      await eventually(() => keys.length === 1);
      await start();
      await eventually(() => keys.length === 2);
      await page.reload();
      await start();
      await page.getByRole('dialog', { name: 'Broadcast' }).waitFor();
      expect(keys).toEqual([expect.stringMatching(/^\S{16,}$/), keys[0], keys[0]]);
      const { broadcasts } = (await owner.call<{ broadcasts: { name: string }[] }>('GET', '/api/client/broadcasts')).body;
      expect(broadcasts.filter((one) => one.name === name)).toHaveLength(1);
    });

    it('decisions 450, 451: shows how far messages got, filters and downloads recipients, and retries those who failed', async () => {
      const recipients = ['0160', '0101', '0120'].map((end) => ({ phone: `+1 201 555 ${end}`, body_params: ['Asha', '=1'] }));
      const draft = { name: 'Funnel', template_name: 'order_update', recipients };
      const { id } = (await owner.call<{ id: number }>('POST', '/api/client/broadcasts', draft)).body;
      await logIn();
      await go(`broadcasts?id=${id}`);
      const detail = page.getByRole('dialog', { name: 'Broadcast' });
      for (const step of ['Sent 2', 'Delivered 2', 'Read 1', 'Replied within a day 1', 'Failed 1'])
        await detail.getByRole('button', { name: `${step} ·` }).waitFor();
      await detail.getByRole('button', { name: 'Replied within a day' }).click();
      await eventually(async () =>
        (await detail.getByRole('row', { name: /^\+1 201/ }).allInnerTexts()).join().startsWith('+1 201 555 0160'),
      );
      await detail.getByRole('button', { name: '1 person' }).click();
      await detail.getByRole('row', { name: '+1 201 555 0120 failed' }).waitFor();
      expect(page.url()).toContain('state=failed&reason=131026');
      const download = detail.getByRole('link', { name: 'Download as CSV' });
      const refused = { success: false, error: 'Too many downloads are running at once.', error_code: 'RATE_LIMITED' };
      await page.route('**/recipients?*format=csv', (route) => route.fulfill({ status: 429, json: refused }));
      await download.click();
      await page.getByText(refused.error).waitFor();
      await page.unroute('**/recipients?*format=csv');
      const [file] = await Promise.all([page.waitForEvent('download'), download.click()]);
      expect(await readFile(await file.path(), 'utf8')).toMatch(
        /^phone,body_1,body_2,.*\r\n12015550120,Asha,'=1,failed,,,"131026: Message undeliverable[^\n]*\r\n$/,
      );
      expect(await accessibilityFaults(page)).toEqual([]);
      await detail.getByRole('button', { name: 'Retry the failed ones (1)' }).click();
      await page.getByRole('dialog', { name: 'Retry Funnel' }).getByRole('button', { name: 'Send to 1 person' }).click();
      await detail.getByText('Funnel (retry)').waitFor();
      await detail.getByRole('button', { name: 'Retries an earlier broadcast' }).click();
      await detail.getByText('Funnel', { exact: true }).waitFor();
      expect(await detail.getByRole('button', { name: /^Retry the/ }).count()).toBe(0);
    });

    it('shows pace and remaining time of a running broadcast; pauses, resumes and cancels it', async () => {
      const recipients = Array.from({ length: 2_000 }, (_, i) => ({
        phone: `1202558${String(i).padStart(4, '0')}`,
        body_params: ['Asha', i],
      }));
      const draft = { name: 'Long', template_name: 'order_update', recipients };
      const { id } = (await owner.call<{ id: number }>('POST', '/api/client/broadcasts', draft)).body;
      await logIn();
      await recordLayoutShifts(page);
      await go(`broadcasts?id=${id}`);
      const detail = page.getByRole('dialog');
      await detail.getByRole('progressbar', { name: 'Sent' }).waitFor();
      await detail.getByRole('row').nth(1).waitFor();
      await settled(page);
      await forgetShifts(page);
      const pace = detail.getByText(/^[\d.]+ a second · about \d+ (seconds|minutes) to go$/);
      await pace.waitFor();
      await detail.getByRole('row', { name: 'read' }).first().waitFor();
      expect(await visibleShifts(page)).toEqual([]);
      // The notice disappears after a while.
      const closable = page.getByRole('alert').getByRole('button', { name: 'Close' }).waitFor();
      await detail.getByRole('button', { name: 'Pause' }).click();
      await closable;
      await detail.getByText('paused', { exact: true }).waitFor();
      await pace.waitFor({ state: 'detached' });
      // The browser took the focus from the button while it was disabled.
      await eventually(() => page.evaluate("document.activeElement.textContent === 'Resume'"));
      await detail.getByRole('button', { name: 'Resume' }).click();
      await detail.getByText('running', { exact: true }).waitFor();
      await pace.waitFor();
      await detail.getByRole('button', { name: 'Cancel the broadcast' }).click();
      const question = page.getByRole('dialog', { name: 'Cancel Long?' });
      await question.getByRole('button', { name: 'Cancel the broadcast' }).click();
      await question.waitFor({ state: 'detached' });
      await detail.getByText('cancelled', { exact: true }).waitFor();
      expect(await detail.getByRole('button', { name: /Pause|Resume|Cancel/ }).count()).toBe(0);
    });
  });

  describe('operator', () => {
    it('confirms before a change of plan, suspends and resumes, and shows the connection and the audit of a business (decision 386)', async () => {
      await openHome(stack.demo.operator);
      await page.getByLabel('Search businesses').fill(stack.starter.name);
      await page.getByRole('link', { name: stack.growth.name }).waitFor({ state: 'detached' });
      await page.getByRole('link', { name: stack.starter.name }).click();
      await page.getByText('connected', { exact: true }).waitFor();
      await page.getByRole('combobox', { name: `Plan of ${stack.starter.name}` }).click();
      await page.getByRole('option', { name: 'Growth' }).click();
      const question = page.getByRole('dialog', { name: /from Starter to Growth/ });
      await question.getByText(/1,000 recipients a day/).waitFor();
      await question.getByRole('button', { name: 'Go back' }).click();
      await question.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Suspend' }).click();
      const suspension = page.getByRole('dialog', { name: `Suspend ${stack.starter.name}?` });
      await suspension.getByRole('button', { name: 'Suspend' }).click();
      await page.getByText('suspended', { exact: true }).first().waitFor();
      const crm = integrator(stack.demo.base_url, stack.starter.api_key);
      await eventually(async () => (await crm.get('health')).body['error_code'] === 'BUSINESS_SUSPENDED');
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByRole('button', { name: 'Suspend' }).waitFor();
      await eventually(async () => (await crm.get('health')).status === 200);
      await page.getByRole('button', { name: 'Make a reset link' }).first().click();
      const link = page.getByRole('dialog', { name: 'Reset link' });
      await link.getByText(/\/password#token=/).waitFor();
      await link.getByRole('button', { name: 'I have copied it' }).click();
      await page
        .getByRole('cell', { name: /Changed the business/ })
        .first()
        .waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    it('leads from a count to the dead letters, shows, replays and discards them, and plots the backlogs (additions §7)', async () => {
      const database = await connectAs('status', stack);
      await database.query(
        `INSERT INTO status.dead_letters (consumer, subject, body, reason, attempts)
         VALUES ('gone', 'platform.status', '{"kept": 1}', 'first fault', 1), ('gone', 'platform.status', '{}', 'second fault', 1)`,
      );
      await database.end();
      await openHome(stack.demo.operator);
      await page.getByText('Callbacks and deliveries that wait').waitFor();
      await page.getByText('Every webhook accepted its last delivery.').or(page.getByText('Failures in a row')).waitFor();
      await page.getByRole('main').getByRole('link', { name: 'dead letters' }).first().click();
      const first = page.getByRole('row', { name: /first fault/ });
      await first.getByRole('button', { name: 'Show' }).click();
      await page.getByRole('dialog').getByText('"kept": 1').waitFor();
      await page.keyboard.press('Escape');
      await first.getByRole('button', { name: 'Replay' }).click();
      await first.getByText('replay requested').waitFor();
      const second = page.getByRole('row', { name: /second fault/ });
      await second.getByRole('button', { name: 'Discard' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
      await second.waitFor({ state: 'detached' });
    });
  });

  describe('templates', () => {
    const fill = async (template: string) => {
      await page
        .locator('.mantine-Card-root', { has: page.getByRole('heading', { name: template, exact: true }) })
        .getByRole('button', { name: 'Fill in and test' })
        .first()
        .click();
      return page.getByRole('dialog');
    };

    /** The label of a value, which an example follows. */
    const beginningWith = (label: string) => new RegExp(`^${label.replace(/[{}]/g, '\\$&')}`);

    it('decision 454: writes, corrects and deletes a template, and explains a rejection', async () => {
      await logIn();
      await go('templates');
      await page.getByRole('button', { name: 'New template' }).click();
      await page.getByRole('button', { name: 'Delivery' }).click();
      await page.getByLabel('Name').fill('Left today rejected');
      await page.getByLabel('Body').fill('{{1}}, it left');
      const example = page.getByRole('textbox', { name: 'Example for {{1}}', exact: true });
      await example.fill('Meera');
      await page.getByText('Meera, it left').waitFor();
      await page.getByRole('button', { name: 'Submit for review' }).click();
      await page.getByText('must not begin or end with a variable').waitFor();
      await page.locator('textarea:focus').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByLabel('Body').fill('Hello {{1}}, your order has left.');
      await page.getByRole('button', { name: 'Submit for review' }).click();
      const card = page.locator('.mantine-Card-root', { has: page.getByRole('heading', { name: 'left_today_rejected' }) });
      await card.getByText('WhatsApp rejected it').waitFor();
      await card.getByText('The form is wrong').waitFor();
      await card.getByRole('button', { name: 'Edit' }).click();
      expect(await example.inputValue()).toBe('Meera');
      await page.getByRole('button', { name: 'Submit for review' }).click();
      await card.getByText('pending', { exact: true }).waitFor();
      await card.getByRole('button', { name: 'Add a language' }).click();
      await page.getByRole('combobox', { name: 'Language' }).click();
      await page.getByRole('option', { name: 'hi', exact: true }).click();
      await page.getByRole('button', { name: 'Submit for review' }).click();
      await card.getByText(/^hi ·/).waitFor();
      for (const language of ['en', 'hi']) {
        await card.getByRole('button', { name: 'Delete' }).first().click();
        const question = page.getByRole('dialog', { name: `Delete left_today_rejected in ${language}?` });
        await question.getByRole('button', { name: 'Delete' }).click();
        await card.getByText(new RegExp(`^${language} ·`)).waitFor({ state: 'detached' });
      }
    });

    it('shows a curl line with header and buttons that sends the filled-in values (spec §4.4)', async () => {
      await logIn();
      await go('templates');
      const dialog = await fill('dispatch_notice');
      await dialog.getByLabel('Phone').fill('+1 201 555 0100');
      await dialog.getByLabel('Header: {{1}}').fill('1007');
      for (const [label, value] of Object.entries({ '{{1}}': "Asha O'Neil", '{{2}}': '1007', '{{3}}': 'Monday' }))
        await dialog.getByLabel(beginningWith(label)).fill(value);
      await dialog.getByLabel('Button “Track”: end of its address').fill('1007');
      await dialog.getByText('Order 1007', { exact: true }).waitFor();
      const line = (await dialog.locator('pre').textContent()) ?? '';
      const { stdout } = await runToEnd('sh', ['-c', `${line.replace('YOUR_KEY', stack.growth.api_key)} -s`]);
      expect(JSON.parse(stdout)).toMatchObject({ success: true, phone: '12015550100', template: 'dispatch_notice' });
    });

    it('decision 394: sends a template with header and button in the thread of a person who never wrote', async () => {
      const crm = integrator(stack.demo.base_url, stack.growth.api_key);
      await crm.post('send-template', { phone: '+1 202 555 0400', template_name: 'order_update', body_params: ['Zoe', '1'] });
      await logIn();
      await go('inbox?q=5550400');
      await page.getByRole('button', { name: /Hello Zoe/ }).click();
      await page.getByRole('button', { name: 'Template', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Send a template' });
      await dialog.getByLabel('Template', { exact: true }).click();
      await page
        .getByRole('option', { name: /^dispatch_notice/ })
        .first()
        .click();
      const values = {
        'Header: {{1}}': '1007',
        '{{1}}': 'Zoe',
        '{{2}}': '1007',
        '{{3}}': 'Monday',
        'Button “Track”: end of its address': '7',
      };
      for (const [label, value] of Object.entries(values)) await dialog.getByLabel(beginningWith(label)).fill(value);
      await dialog.getByRole('button', { name: 'Send' }).click();
      await page.getByRole('log').getByText('dispatch_notice').waitFor();
    });

    it('sends the header’s values with a test', async () => {
      await logIn();
      await go('templates');
      const dialog = await fill('invoice');
      await dialog.getByLabel('Phone').fill('+1 201 555 0101');
      await dialog.getByLabel(beginningWith('{{1}}')).fill('Asha');
      await dialog.getByRole('button', { name: 'Send a test' }).click();
      await dialog.getByText('Enter a value for Header: document URL.').waitFor();
      await dialog.getByLabel('Header: document URL').fill('https://example.com/invoice.pdf');
      await dialog.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('The test is on its way.').waitFor();
    });
  });

  describe('accessibility and layout', () => {
    it('decision 651: axe waits for a notice that begins to fade while it runs', async () => {
      await page.setContent(`<html lang="en"><title>Saved</title><main><h1>Settings</h1><p>Saved.</p></main></html>`);
      // The fade begins when axe is there, after the page was at rest.
      await page.evaluate(`{
        const notice = document.querySelector('p');
        let loaded;
        Object.defineProperty(window, 'axe', {
          configurable: true,
          get: () => loaded,
          set: (axe) => {
            loaded = axe;
            notice.style.opacity = 0.3;
            notice.getBoundingClientRect();
            Object.assign(notice.style, { transition: 'opacity 2s', opacity: 0 });
            notice.addEventListener('transitionend', () => notice.remove());
          },
        });
      }`);
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await page.locator('p').count()).toBe(0);
    });

    it('moves nothing for a person who prefers less motion', async () => {
      await page.addInitScript(`moves = 0; document.addEventListener('transitionrun', () => moves++)`);
      const respond = await hold('**/api/client/webhooks*');
      await logIn();
      await go('webhooks');
      await page.locator('.mantine-Skeleton-root').first().waitFor();
      const moving = await page.evaluate('document.getAnimations().length');
      respond();
      await page.getByRole('button', { name: 'Add a webhook' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('CRM');
      await settled(page);
      expect([moving, await page.evaluate('moves')]).toEqual([0, 0]);
    });

    it('has no accessibility violation in any dialog', async () => {
      await logIn();
      const opened: [string, () => Promise<void>][] = [
        ['webhooks', () => page.getByRole('button', { name: 'Add a webhook' }).click()],
        ['api-keys', () => page.getByRole('button', { name: 'Create a key' }).click()],
        ['api-keys', () => page.getByRole('button', { name: 'Revoke' }).first().click()],
        ['templates', () => page.getByRole('button', { name: 'Fill in and test' }).first().click()],
        ['messages', () => page.getByRole('row').getByRole('button').first().click()],
      ];
      const crm = integrator(stack.demo.base_url, stack.growth.api_key);
      await crm.post('send-template', { phone: '+1 201 555 0100', template_name: 'order_update', body_params: ['Asha', '1'] });
      for (const [path, open] of opened) {
        await go(path);
        await open();
        await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).waitFor();
        expect([path, await accessibilityFaults(page)]).toEqual([path, []]);
        await page.emulateMedia({ colorScheme: 'dark' });
        // The page around the dialog is checked in both schemes by another test.
        expect([path, await accessibilityFaults(page, RULES_OF_COLORS, ['#root'])]).toEqual([path, []]);
        await page.emulateMedia({ colorScheme: 'light' });
      }
      await customer(stack.demo, stack.growth, '919876543219').writes('Hello');
      await openHome();
      await page.keyboard.press('Control+k');
      await page.getByRole('textbox', { name: 'Find a customer, message, template or page' }).fill('543219');
      await page.getByRole('button', { name: '+91 98765 43219' }).first().waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    it('shows a bar for each day in the usage chart, even without messages', async () => {
      let to = '2026-02-03';
      await page.route('**/api/client/usage*', async (route) => {
        const day = { day: '2026-02-02', kind: 'text', sent: 9, delivered: 6, read: 5, failed: 1, refused: 2 };
        // Playwright may reuse a connection at the moment when the gateway closes it as idle.
        const usage = (await (await route.fetch({ maxRetries: 1 })).json()) as object;
        await route.fulfill({ json: { ...usage, from: '2026-02-01', to, usage: [day] } });
      });
      await logIn();
      await go('usage');
      const chart = page.getByRole('img', { name: 'Messages by day; the table below has the numbers' });
      await chart.hover();
      await page.getByText('Feb 2read: 5delivered: 1on the way: 2failed: 3').waitFor();
      expect(await chart.getByText(/^Feb/).allTextContents()).toEqual(['Feb 1', 'Feb 2', 'Feb 3']);
      // Only as many labels as fit on a phone.
      to = '2026-02-28';
      await page.reload();
      await chart.waitFor();
      expect(await chart.getByText(/^Feb/).allTextContents()).toEqual(['Feb 1', 'Feb 8', 'Feb 15', 'Feb 22']);
    });

    it('accepts a typed date', async () => {
      await logIn();
      await go('usage');
      await eventually(() => page.getByLabel('From').isEnabled());
      await page.getByLabel('From').focus();
      await page.keyboard.type('11022026');
      await page.waitForURL(/from=2026-11-02/);
      expect(await page.getByLabel('From').inputValue()).toBe('2026-11-02');
    });

    it('keeps everything reachable at 320 px, however long its name', async () => {
      const name = 'x'.repeat(90);
      await owner.call('PUT', '/api/client/suppressions/919876543209', { state: 'opted_out_marketing' });
      await owner.call('POST', '/api/client/team', {
        name,
        email: `${'m'.repeat(50)}@growth.example`,
        password: 'correct horse battery',
        role: 'agent',
      });
      await owner.call('POST', '/api/client/webhooks', { name, url: `https://crm.example.com/${name}`, events: ['ai.replied'] });
      await owner.call('POST', '/api/client/api-keys', { name, permissions: ['*'] });
      const recipients = [{ phone: '+1 201 555 0101', body_params: ['Asha', '1'] }];
      await owner.call('POST', '/api/client/broadcasts', { name, template_name: 'order_update', recipients });
      const operator = await dashboardUser(stack.demo.site_url, stack.demo.operator);
      const { body: business } = await operator.call<{ id: number }>('POST', '/api/admin/businesses', { name, plan: 'Starter' });
      await page.setViewportSize(PHONE);
      await recordLayoutShifts(page);
      const found: [string, unknown][] = [];
      const look = async (path: string) => {
        await go(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
        for (const element of await page.evaluate<string[]>(OUT_OF_REACH)) found.push([path, element]);
        // Decision 585.
        for (const shift of await visibleShifts(page)) found.push([path, shift]);
      };
      await logIn();
      for (const path of ['', 'settings', 'webhooks', 'broadcasts', 'inbox', 'messages', 'templates', 'api-keys', 'auto-reply', 'usage'])
        await look(path);
      await logIn(stack.demo.operator);
      await look(`operator/business?id=${business.id}`);
      expect(found).toEqual([]);
    });

    it('skips the closed phone menu with Tab', async () => {
      await page.setViewportSize(PHONE);
      await openHome();
      expect(await page.getByRole('link', { name: /^Inbox/ }).count()).toBe(0);
      await page.getByRole('button', { name: 'Show or hide the navigation' }).click();
      await page.getByRole('link', { name: /^Inbox/ }).click();
      await page.getByRole('heading', { name: 'Inbox' }).waitFor();
      await page.getByRole('link', { name: /^Inbox/ }).waitFor({ state: 'hidden' });
    });

    it('shows a new key until it is saved, and the expiry of each key', async () => {
      const expires_at = new Date(Date.now() + 10 * 86_400_000).toISOString();
      await owner.call('POST', '/api/client/api-keys', { name: 'Ending', permissions: ['*'], expires_at });
      await logIn();
      await go('api-keys');
      await page
        .getByRole('row', { name: /Ending/ })
        .getByText('in 10 days')
        .waitFor();
      await page.getByRole('button', { name: 'Create a key' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('Kept');
      await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
      await page.getByText('GATEWAY_API_KEY=').waitFor();
      await page.keyboard.press('Escape');
      await page.mouse.click(5, 5);
      expect(await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).count()).toBe(0);
      await page.getByRole('button', { name: 'I have saved it' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    });
  });
});
