/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { queries } from '../../api/client';
import { draw, press, Refusal, sent, type } from '../../page.fixture';
import { openPage } from '../../open-page.fixture';
import { BroadcastDetail } from './broadcast-detail';

const AT = '2026-01-05T09:00:00.000Z';
const broadcast = {
  ...{ id: 7, name: 'Autumn', template_name: 'offer', language: 'en', status: 'completed', created_at: AT, scheduled_at: null },
  ...{ started_at: AT, finished_at: AT, retry_of: null, pause_cause: null, cost: null },
  ...{ total_recipients: 10, sent: 7, failed: 3, unclear: 0, pending: 0, delivered: 6, read: 4, replied: 2, retryable: 0, failures: [] },
};

const template = { name: 'offer', language: 'en', header_type: null, header_text: null, variables: ['first_name'], components: [] };
const me = { user: { id: 1, role: 'manager' }, business: { id: 1, timezone: 'UTC' } };

/** Draws the details of a broadcast. */
function drawDetail(changed: object, routes: Parameters<typeof draw>[1] = {}): void {
  const none = () => undefined;
  const shown = { state: undefined, phone: undefined, reason: undefined };
  function Logged() {
    queries.setQueryData(['me'], me);
    return <BroadcastDetail id={7} shown={shown} onShow={none} onOpen={none} onDuplicate={none} />;
  }
  draw(<Logged />, {
    'GET /api/client/me': () => me,
    'GET /api/client/broadcasts/7': () => ({ ...broadcast, ...changed }),
    'GET /api/client/broadcasts/7/recipients': () => ({ recipients: [], next_cursor: null }),
    'GET /api/client/templates': () => ({ templates: [template] }),
    ...routes,
  });
}

/** @param csv responds to the download of the recipients */
const copied = (csv: () => unknown): Parameters<typeof draw>[1] => ({
  'GET /api/client/broadcasts/7/recipients': (_, url) =>
    url.searchParams.get('format') === 'csv' ? csv() : { recipients: [], next_cursor: null },
});

describe('the details of a broadcast', () => {
  it('decision 620: name the error that paused it, what to do, and who still gets the message', async () => {
    const pause_cause = { error_code: 'NOT_CONNECTED', message: 'The access token is expired.', hint: 'Enter a valid token.' };
    const paused = { status: 'paused', finished_at: null, sent: 2, failed: 0, pending: 8, pause_cause };
    drawDetail(paused, { 'POST /api/client/broadcasts/7/resume': () => ({ message: 'Broadcast resumed.' }) });
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toMatch(/The access token is expired\.Enter a valid token\..*8 people will get the message/);
    await press('Resume');
    await screen.findByText('Broadcast resumed.');
    expect(sent().map(({ route }) => route)).toEqual(['POST /api/client/broadcasts/7/resume']);
  });

  it('decision 705: do not offer a resumption as the remedy for a revoked key', async () => {
    const pause_cause = { error_code: 'INVALID_API_KEY', message: 'The API key was revoked.', hint: 'Create a new broadcast.' };
    drawDetail({ status: 'paused', finished_at: null, sent: 2, failed: 0, pending: 8, pause_cause });
    expect((await screen.findByRole('alert')).textContent).toMatch(/Create a new broadcast\.$/);
  });

  it('decision 621: show whom a retry writes to, its estimated cost and the daily limit before it starts', async () => {
    const markets = [{ market: '91', name: 'India', count: 2, price: '0.8', cost: '1.6' }];
    const left = { limit: 1_000, used: 990, left: 10, resets_at: AT };
    const check = { total: 2, suppressed: 1, category: 'MARKETING', estimate: { currency: 'INR', cost: '1.6', markets, without_rate: 0 } };
    let daily_limit = { ...left, left: 1 };
    const routes = {
      'GET /api/client/broadcasts/7/retry': () => ({ ...check, daily_limit }),
      'POST /api/client/broadcasts/7/retry': () => ({ id: 8, message: 'Broadcast started.' }),
    };
    const ask = async () => {
      drawDetail({ retryable: 3 }, routes);
      await screen.findByText('Autumn');
      await press('Retry the failed ones (3)');
      return screen.findByRole('button', { name: 'Send to 2 people' });
    };
    expect((await ask()).hasAttribute('disabled')).toBe(true);
    screen.getByText('More recipients than the daily limit allows');
    cleanup();
    daily_limit = left;
    expect((await ask()).hasAttribute('disabled')).toBe(false);
    screen.getByText('1 person opted out or is blocked, and will get nothing.');
    screen.getByText('Estimated cost: ₹1.60');
    screen.getByText('10 of 1,000 recipients are left today.');
    expect(sent()).toEqual([]);
    await press('Send to 2 people');
    await screen.findByText('Broadcast started.');
    expect(sent().map(({ route }) => route)).toEqual(['POST /api/client/broadcasts/7/retry']);
  });

  it('decision 622: a copy replaces the draft of a new broadcast only after the person agrees', async () => {
    const download = jest.fn(() => new Response('phone,body_1,state\r\n12015550100,Asha,sent\r\n'));
    const routes = copied(download);
    const stored = () => JSON.parse(sessionStorage.getItem('kept 1 broadcast') ?? '{}') as { name?: string; mapping?: object };
    const kept = () => stored().name;
    const draft = { ...{ name: 'Winter', template: null, text: '', file: null, table: null, mapping: {}, startsAt: null, version: 1 } };
    sessionStorage.setItem('kept 1 broadcast', JSON.stringify(draft));
    drawDetail({}, routes);
    await screen.findByText('Autumn');
    await press('Duplicate');
    const question = await screen.findByRole('dialog', { name: 'Replace your draft?' });
    expect(question.textContent).toContain('“Winter”');
    await press('Go back', 'button', question);
    expect([kept(), download.mock.calls.length]).toEqual(['Winter', 0]);
    await press('Duplicate');
    await press('Replace the draft', 'button', await screen.findByRole('dialog', { name: 'Replace your draft?' }));
    await waitFor(() => expect(kept()).toBe('Autumn (copy)'));
    expect(stored().mapping).toEqual({ phone: { column: 0, name: 'phone' }, body_first_name: { column: 1, name: 'body_first_name' } });
    cleanup();
    sessionStorage.clear();
    drawDetail({}, routes);
    await screen.findByText('Autumn');
    await press('Duplicate');
    await waitFor(() => expect(kept()).toBe('Autumn (copy)'));
  });

  it('decision 622: a copy that is still loading does not replace a draft that the person begins meanwhile', async () => {
    sessionStorage.clear();
    let respond = (_: Response) => {};
    const download = new Promise<Response>((resolve) => (respond = resolve));
    const offer = { id: 3, name: 'offer', language: 'en', status: 'APPROVED', category: 'UTILITY', content: 'Hi', variables: [] };
    const address = openPage('/broadcasts?id=7', {
      'GET /api/client/broadcasts': () => ({ broadcasts: [broadcast], next_cursor: null }),
      'GET /api/client/broadcasts/7': () => broadcast,
      'GET /api/client/templates': () => ({ templates: [{ ...offer, components: [] }], sync: { state: 'done', found: 1 } }),
      ...copied(() => download),
    });
    await screen.findByRole('button', { name: 'Duplicate' });
    await press('Duplicate');
    fireEvent.keyDown(document.body, { key: 'Escape', code: 'Escape' });
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await press('New broadcast');
    await screen.findByRole('combobox', { name: 'Template' });
    await press('Template', 'combobox');
    await press('offer (en)', 'option');
    await press('Continue to recipients');
    // The button that had the focus is gone.
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Recipients' })));
    await type('Or paste the rows here', 'phone\n+1 201 555 0199');
    await screen.findByText('1 row, column phone');
    await act(async () => {
      respond(new Response('phone,state\r\n12015550100,sent\r\n'));
      await new Promise((resolve) => setTimeout(resolve));
    });
    await waitFor(() => expect(queries.isMutating()).toBe(0));
    screen.getByText('1 row, column phone');
    expect(address()).toBe('/broadcasts?new=recipients');
    expect(sessionStorage.getItem('kept 1 broadcast')).not.toContain('(copy)');
    sessionStorage.clear();
  });

  it.each([
    ['is still there', '/broadcasts?id="9"'],
    ['left', '/webhooks'],
  ])('decision 753: a broadcast that starts while the person %s ends the draft and leads to %s', async (person, path) => {
    let respond = (_: object) => {};
    const daily_limit = { limit: 10, used: 0, left: 10, resets_at: AT };
    const mapping = { phone: { column: 0, name: 'phone' } };
    const table = { names: ['phone'], rows: [{ line: 2, cells: ['+12015550100'] }] };
    const draft = { name: 'Winter', template: 'offer/en', text: '', file: null, table, mapping, startsAt: null, version: 1 };
    sessionStorage.setItem('kept 1 broadcast', JSON.stringify(draft));
    const address = openPage('/broadcasts?new=check', {
      'GET /api/client/broadcasts': () => ({ broadcasts: [], next_cursor: null }),
      'GET /api/client/templates': () => ({ templates: [{ ...template, status: 'APPROVED', category: 'UTILITY', variables: [] }] }),
      'GET /api/client/webhooks': () => ({ webhooks: [] }),
      'POST /api/client/broadcasts/check': () => ({
        ...{ total: 1, wrong: 0, faults: [], estimate: null, category: 'UTILITY', suppressed: 0, daily_limit },
      }),
      'POST /api/client/broadcasts': () => new Promise<object>((resolve) => (respond = resolve)),
    });
    await screen.findByRole('button', { name: 'Start sending' });
    await press('Start sending');
    await press('Send to 1 person', 'button', await screen.findByRole('dialog'));
    if (person === 'left') {
      fireEvent.click(screen.getByRole('link', { name: 'Webhooks' }));
      await screen.findByRole('heading', { level: 1, name: 'Webhooks' });
    }
    await waitFor(() => expect(queries.isMutating()).toBe(1));
    respond({ id: 9, message: 'Broadcast started.' });
    await screen.findByText('Broadcast started.');
    await waitFor(() => expect(queries.isMutating()).toBe(0));
    await act(() => new Promise((resolve) => setTimeout(resolve)));
    expect([address(), sessionStorage.getItem('kept 1 broadcast')]).toEqual([path, null]);
  });

  it('distinguish recipients who will never get it from those to go, and name how many failed for rarer reasons', async () => {
    const counts = { sent: 2, failed: 5, pending: 3, failures: [{ reason: 'No WhatsApp', count: 4 }] };
    drawDetail({ ...counts, status: 'cancelled' });
    await screen.findByText('2 sent · 5 failed · 3 not sent');
    screen.getByText('1 person for other reasons, which the download names.');
    cleanup();
    drawDetail({ ...counts, status: 'running', finished_at: null, failed: 4 });
    await screen.findByText('2 sent · 4 failed · 3 to go');
    expect(screen.queryByText(/for other reasons/)).toBeNull();
  });

  it('decision 241: show what a broadcast with nothing left to send waits for, without pace, plot and Pause', async () => {
    const waiting = { status: 'running', finished_at: null, sent: 8, failed: 1, pending: 0, unclear: 1 };
    drawDetail(waiting);
    await screen.findByText('8 sent · 1 failed · waiting for 1 confirmation');
    screen.getByText('waiting');
    expect(screen.queryByText(/a second|Measuring|to go/)).toBeNull();
    expect(screen.queryByRole('img', { name: /Messages a minute/ })).toBeNull();
    expect(screen.queryByRole('button', { name: /Pause|Cancel/ })).toBeNull();
    cleanup();
    drawDetail({ ...waiting, status: 'completed', finished_at: AT });
    await screen.findByText('8 sent · 1 failed · 1 not confirmed by WhatsApp yet');
    cleanup();
    drawDetail({ ...waiting, status: 'paused' });
    await screen.findByRole('button', { name: 'Resume' });
  });

  it('decision 747: show that everybody left waits, why and until when, without pace, plot and estimate', async () => {
    const waiting = { status: 'running', finished_at: null, sent: 8, failed: 1, pending: 1, waiting: 1 };
    const reason = 'PLATFORM_THROTTLED: Too many messages to this person.';
    const next_attempt_at = new Date(Date.now() + 130_000).toISOString();
    const one = {
      nth: 1,
      phone: '12015550141',
      state: 'pending',
      message_id: null,
      reason,
      delivery: null,
      replied_at: null,
      next_attempt_at,
    };
    drawDetail(waiting, { 'GET /api/client/broadcasts/7/recipients': () => ({ recipients: [one], next_cursor: null }) });
    await screen.findByText(/^1 person waits: the last try did not succeed/);
    await screen.findByText('waiting');
    expect(document.body.textContent).toContain('Too many messages to this person. · next try in 2 minutes');
    expect(screen.queryByText(/a second|Measuring|seconds to go/)).toBeNull();
    expect(screen.queryByRole('img', { name: /Messages a minute/ })).toBeNull();
    screen.getByRole('button', { name: 'Pause' });
    cleanup();
    drawDetail(
      { ...waiting, status: 'paused' },
      { 'GET /api/client/broadcasts/7/recipients': () => ({ recipients: [one], next_cursor: null }) },
    );
    await screen.findByText('Too many messages to this person.');
    expect(screen.queryByText(/next try|waits|waiting/)).toBeNull();
  });

  it('distinguish messages on their way from those to go after a pause', async () => {
    drawDetail({ status: 'paused', finished_at: null, sent: 0, failed: 0, pending: 200, sending: 64 });
    await screen.findByText('0 sent · 0 failed · 136 to go · 64 on their way');
    cleanup();
    drawDetail({ status: 'cancelled', sent: 9, failed: 0, pending: 1, sending: 1 });
    await screen.findByText('9 sent · 0 failed · 1 on its way');
  });

  it('draw each step of the funnel as long as the share beside it', async () => {
    drawDetail({ total_recipients: 65, sent: 60, failed: 5, delivered: 60, read: 30, replied: 13 });
    const steps = await screen.findAllByTitle('Show these recipients');
    expect(steps.map(({ textContent }) => textContent)).toEqual([
      'Sent60 · 92 %',
      'Delivered60 · 92 %',
      'Read30 · 46 %',
      'Replied within a day13 · 20 %',
      'Failed5 · 8 %',
    ]);
    const widths = steps.map((step) => (step.lastElementChild?.firstElementChild as HTMLElement).style.width);
    expect(widths.map((width) => Math.round(Number.parseFloat(width)))).toEqual([92, 92, 46, 20, 8]);
  });

  it('keep a line for the cost of a running broadcast, so that the first price moves nothing', async () => {
    const running = { ...broadcast, status: 'running', finished_at: null };
    const cost = { currency: 'INR', cost: '1.6', charged: 2, free: 0, without_rate: 0 };
    let shown = { ...running, cost: null as typeof cost | null };
    drawDetail(running, { 'GET /api/client/broadcasts/7': () => shown });
    const line = await screen.findByText('No cost reported by WhatsApp yet');
    const places = line.parentElement?.childElementCount;
    shown = { ...running, cost };
    const price = await screen.findByText('₹1.60', {}, { timeout: 10_000 });
    expect(price.parentElement?.parentElement?.childElementCount).toBe(places);
    cleanup();
    drawDetail({});
    await screen.findByText('Autumn');
    expect(screen.queryByText(/No cost reported/)).toBeNull();
  });

  it('show once that charged messages have no rate', async () => {
    drawDetail({ cost: { currency: 'INR', cost: '0', charged: 112, free: 0, without_rate: 112 } });
    const line = await screen.findByText('No rate');
    expect(line.parentElement?.textContent).toBe('No rate · 112 messages charged');
  });

  it('decision 668: plots messages a minute while the page is open, with its place from the beginning on', async () => {
    // The clock advances by five seconds with each response, to a whole slot.
    let now = 1_760_000_000_000;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now);
    const paces = [0, 100, 20];
    const running = { ...broadcast, status: 'running', finished_at: null, total_recipients: 1_000, sent: 0, failed: 0, pending: 1_000 };
    let sending = running;
    drawDetail(running, {
      'GET /api/client/broadcasts/7': () => {
        const pace = paces.shift();
        if (pace === undefined) return { ...sending, status: 'paused' };
        now += 5_000;
        sending = { ...sending, sent: sending.sent + pace, pending: sending.pending - pace };
        return sending;
      },
    });
    await screen.findByRole('img', { name: 'Messages a minute, in bars of five seconds: measuring' });
    screen.getByText('Measuring the pace…');
    await screen.findByRole('img', { name: 'Messages a minute, in bars of five seconds: at most 1,200' });
    await screen.findByText('paused');
    screen.getByRole('img', { name: 'Messages a minute, in bars of five seconds: at most 1,200' });
    expect(screen.queryByText(/a second/)).toBeNull();
    clock.mockRestore();
  });

  it('duplicate: shows why the recipients cannot be copied', async () => {
    sessionStorage.clear();
    let csv: unknown = new Refusal(503, { error: 'A service is unavailable.', hint: 'Try again shortly.' });
    drawDetail(
      {},
      copied(() => csv),
    );
    await screen.findByRole('button', { name: 'Duplicate' });
    await press('Duplicate');
    await screen.findByText('A service is unavailable.');
    screen.getByText('Try again shortly. · Request req-1');
    csv = new Response('phone,state\r\n');
    await press('Duplicate');
    await screen.findByText('The list has a heading and no rows.');
    expect(screen.queryByText('Try again in a moment.')).toBeNull();
  });
});

describe('the list of broadcasts', () => {
  it('shows which one waits, and for what', async () => {
    const list = [
      { ...broadcast, id: 4, name: 'Tomorrow', status: 'scheduled', scheduled_at: new Date(Date.now() + 86_400_000).toISOString() },
      { ...broadcast, id: 3, name: 'Its turn', status: 'scheduled', scheduled_at: AT },
      { ...broadcast, id: 2, name: 'Next', status: 'scheduled' },
      { ...broadcast, id: 1, name: 'Throttled', status: 'running', sent: 7, failed: 2, pending: 1, waiting: 1 },
    ].map((one) => ({ ...one, finished_at: null, ...(one.status === 'scheduled' && { sent: 0, failed: 0, pending: 10, waiting: 0 }) }));
    openPage('/broadcasts', { 'GET /api/client/broadcasts': () => ({ broadcasts: list, next_cursor: null }) });
    const card = async (name: string) => (await screen.findByText(name)).closest('button')?.textContent;
    expect(await card('Tomorrow')).toMatch(/ · starts .*scheduled0 sent · 0 failed · 10 to go$/);
    const turn = /, 2026waiting0 sent · 0 failed · 10 to go · waiting to start, because one broadcast runs at a time$/;
    expect([await card('Its turn'), await card('Next')]).toEqual([expect.stringMatching(turn), expect.stringMatching(turn)]);
    expect(await card('Throttled')).toMatch(
      /running7 sent · 2 failed · 1 to go1 person waits: the last try did not succeed, and the .* itself\./,
    );
  });
});
