import { eventually, newContext, startBrowser } from '@mgw/testing';
import type { Browser, Page } from 'playwright-core';
import { codeOf, NUMBER, Started } from '../simulator.fixture';

describe('the phone page (platform §8.4)', () => {
  let browser: Browser;
  let started: Started;
  let page: Page;
  const errors: string[] = [];
  beforeAll(async () => {
    browser = await startBrowser();
    started = await Started.with({ controlToken: 'secret' });
    page = await (await newContext(browser)).newPage();
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.goto(`${started.url}/?token=secret`);
    await page.getByLabel('Business').selectOption(NUMBER);
  });
  afterAll(async () => {
    await browser?.close();
    await started?.close();
  });

  it('sends a text and a photo, shows them, and taps a button, without an error in the console', async () => {
    await page.getByLabel('Message').fill('Is it ready?');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Is it ready?').waitFor();
    await page.getByRole('button', { name: 'Photo' }).click();
    const width = () => page.locator('.bubble img').evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth);
    await page.locator('.bubble img').waitFor();
    await eventually(async () => (await width()) > 0);
    await page.getByLabel('Other kinds').selectOption('Location');
    await eventually(() => started.messages().some(({ type }) => type === 'location'));
    const action = { buttons: [{ type: 'reply', reply: { id: 'yes', title: 'Yes, please' } }] };
    const interactive = { type: 'button', body: { text: 'Shall we send it?' }, action };
    expect((await started.send({ type: 'interactive', interactive }, '12015550100')).status).toBe(200);
    await page.getByRole('button', { name: 'Yes, please' }).click();
    const tapped = await eventually(() => started.messages().find(({ type }) => type === 'interactive'));
    expect(tapped['interactive']).toEqual({ type: 'button_reply', button_reply: { id: 'yes', title: 'Yes, please' } });
    expect(errors).toEqual([]);
  });

  it.each([390, 1_440])('has a wide field for the message at %i px', async (width) => {
    await page.setViewportSize({ width, height: 900 });
    expect((await page.getByLabel('Message').boundingBox())?.width).toBeGreaterThan(150);
  });

  it('distinguishes the accounts, and shows that a restart deletes the state', async () => {
    expect(await page.getByLabel('Business').locator('option').allTextContents()).toEqual([
      'Simulator account 1 (+12025550101)',
      'Simulator account 2 (+13125550102)',
    ]);
    expect(await page.getByText('A restart of this simulator deletes').isVisible()).toBe(true);
  });

  it('changes the profile, and saves and restores a snapshot', async () => {
    await page.getByLabel('Platform profile').selectOption('realistic');
    await eventually(() => started.simulator.profile.settings.profile === 'realistic');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save snapshot' }).click();
    const file = await (await download).path();
    await started.control('POST', 'reset', undefined, { authorization: 'Bearer secret' });
    await page.getByText('Is it ready?').waitFor({ state: 'detached' });
    await page.getByLabel('Snapshot file').setInputFiles(file);
    await page.getByText('Is it ready?').waitFor();
    expect(started.simulator.profile.settings.profile).toBe('realistic');
    expect(errors).toEqual([]);
  });

  it('shows one-time codes', async () => {
    const parameters = [{ type: 'text', text: '815162' }];
    await started.sendTemplate('12015550100', 'login_code', 'en', [
      { type: 'body', parameters },
      { type: 'button', sub_type: 'url', index: '0', parameters },
    ]);
    await page.locator('#codes code', { hasText: '815162' }).waitFor();
  });

  it('takes a customer’s number with punctuation, and shows why it refuses another text', async () => {
    await page.getByLabel('Customer').fill('+1 (201) 555-0102');
    await page.getByLabel('Message').fill('With punctuation');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('With punctuation').waitFor();
    expect(started.messages().at(-1)).toMatchObject({ from: '12015550102' });
    await page.getByRole('button', { name: 'platform overloaded' }).click();
    await page.getByText('will be refused with 131016').waitFor();
    expect(codeOf(await started.sendTemplate('12015550102'))).toBe(131016);
    await page.getByLabel('Customer').fill('Asha');
    for (const button of ['Photo', 'token expired']) {
      await page.getByRole('button', { name: 'Remove all rules' }).click();
      await page.getByText('Rules removed').waitFor();
      await page.getByRole('button', { name: button }).click();
      await page.getByText('must be a phone number or a business-scoped user id').waitFor();
    }
  });
});
