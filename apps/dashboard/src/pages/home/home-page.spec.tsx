/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { act, screen, waitFor, within } from '@testing-library/react';
import { queries } from '../../api/client';
import { openPage } from '../../open-page.fixture';
import { requests } from '../../page.fixture';

const message = (n: number) => ({
  message_id: `wamid.${n}`,
  to: '919876543210',
  type: 'text',
  template: null,
  text: `Hello ${n}`,
  delivery_status: 'read',
  sent_at: '2026-01-04T20:00:00.000Z',
});
const codes = ['OUTCOME_UNKNOWN', ...Array.from({ length: 11 }, (_, i) => String(131_026 + i))];
const counts = {
  from: '2026-01-04T18:30:00.000Z',
  to: '2026-01-08T18:30:00.000Z',
  timezone: 'Asia/Kolkata',
  bar_minutes: 60,
  bars: [{ at: '2026-01-04T18:30:00.000Z', counts: [{ sent_by: 'api', sent: 90, delivered: 78, read: 40, failed: 12, refused: 0 }] }],
  previous: null,
  failures: codes.map((failure_code) => ({ failure_code, reason: `Reason ${failure_code}`, hint: null, count: 1 })),
};
const card = async (title: string) => within((await screen.findByRole('heading', { name: title })).parentElement as HTMLElement);

/** The listeners of the page's stream of events. */
const live: Record<string, () => void> = {};
class Stream {
  close = () => undefined;
  addEventListener(name: string, hear: () => void) {
    live[name] = hear;
  }
}

describe('the home page (decision 604)', () => {
  beforeEach(() => {
    Object.assign(window, { EventSource: Stream });
    openPage('/', {
      'GET /api/client/messages/counts': () => counts,
      'GET /api/client/messages': (_, url) => ({
        messages: Array.from({ length: Number(url.searchParams.get('limit')) }, (_, n) => message(n)),
        next_cursor: null,
      }),
      'GET /api/client/connection': () => ({ status: 'connected' }),
      'GET /api/client/webhooks': () => ({ webhooks: [] }),
    });
  });
  const addressOf = (link: HTMLElement) => decodeURIComponent(link.getAttribute('href') ?? '');

  it('lists every reason of failure with a link to its messages in the log', async () => {
    const links = (await card('Why messages failed')).getAllByRole('link');
    expect(links.map(addressOf)).toEqual(
      codes.map((code) => `/messages?period=7d&status=failed&failure_code=${/^\d/.test(code) ? `"${code}"` : code}`),
    );
  });

  it('counts messages and those who wait again when the state of a message changes', async () => {
    await screen.findByText('12 messages');
    const lookups = (route: string) => requests.filter((one) => one.route === route).length;
    for (const route of ['GET /api/client/messages/counts', 'GET /api/client/conversations']) {
      const before = lookups(route);
      act(() => live['message.status']?.());
      await waitFor(() => expect(lookups(route)).toBeGreaterThan(before), { timeout: 5_000 });
    }
  });

  it('decision 23a: counts how many of the failed messages are not confirmed', async () => {
    await screen.findByText('12 messages');
    screen.getByText('1 of them not confirmed');
  });

  it('lists the newest messages, each with a link to it in the log, in the business’s zone', async () => {
    const latest = await card('Latest messages');
    const links = latest.getAllByRole('link');
    expect(links.map(addressOf)).toEqual([...Array.from({ length: 10 }, (_, n) => `/messages?id=wamid.${n}`), '/messages']);
    expect(latest.getAllByTitle('Jan 5, 2026, 1:30:00 AM, Asia/Kolkata')).toHaveLength(10);
  });
});

describe('the webhooks of the home page', () => {
  const webhook = (id: number, fail_count: number) => ({
    ...{ id, name: `Hook ${id}`, url: 'https://a.example', events: [], is_active: 1, fail_count, has_secret: true },
    last_24_hours: [{ hour: '2026-01-04T20:00:00.000Z', succeeded: 1, failed: 9 }],
  });
  const failed = (event_id: string) => ({ id: 1, event: 'message.sent', event_id, state: 'failed' });

  it('name failed events only while one waits for its redelivery, and do not search with every live event', async () => {
    openPage('/', {
      'GET /api/client/webhooks': () => ({ webhooks: [webhook(1, 0), webhook(2, 0), webhook(3, 9)] }),
      'GET /api/client/webhooks/1/deliveries': (_, url) => ({
        deliveries: url.searchParams.get('state') === 'failed' ? [failed('test:1')] : [],
        next_cursor: null,
      }),
      'GET /api/client/webhooks/2/deliveries': () => ({ deliveries: [failed('message.sent:1')], next_cursor: null }),
    });
    const links = () => screen.getAllByRole('link').filter((link) => /^\/webhooks\?/.test(link.getAttribute('href') ?? ''));
    await screen.findByText('Hook 3');
    await waitFor(() =>
      expect(links().map(({ textContent }) => textContent)).toEqual([
        'Deliveries of Hook 1',
        'See and recover failed events of Hook 2',
        'See and recover failed events of Hook 3',
      ]),
    );
    const lookups = () => requests.filter(({ route }) => route === 'GET /api/client/webhooks/1/deliveries').length;
    expect(lookups()).toBe(1);
    for (let event = 0; event < 2; event += 1) await act(() => queries.invalidateQueries({ queryKey: ['home'] }));
    expect(lookups()).toBe(1);
  });

  it('are a few of many, the failing ones first, with a link to all', async () => {
    // The first one's deliveries all succeeded.
    const hours = [{ hour: '2026-01-04T20:00:00.000Z', succeeded: 1, failed: 0 }];
    const webhooks = Array.from({ length: 20 }, (_, n) => ({
      ...webhook(n + 1, n < 17 ? 0 : 3),
      ...(n === 0 && { last_24_hours: hours }),
    }));
    openPage('/', { 'GET /api/client/webhooks': () => ({ webhooks }) });
    const shown = await card('Webhooks, last 24 hours');
    await shown.findByText('Hook 18');
    expect(shown.getAllByText(/^Hook /).map(({ textContent }) => textContent)).toEqual([
      'Hook 18',
      'Hook 19',
      'Hook 20',
      'Hook 2',
      'Hook 3',
    ]);
    expect(shown.getByRole('link', { name: 'All 20 webhooks, 3 failing' }).getAttribute('href')).toBe('/webhooks');
  });

  it('name a failed event that test events precede, and one created before the hour in which it failed', async () => {
    const tests = Array.from({ length: 100 }, (_, n) => failed(`test:${n}`));
    openPage('/', {
      'GET /api/client/webhooks': () => ({ webhooks: [webhook(1, 0), webhook(2, 0)] }),
      'GET /api/client/webhooks/1/deliveries': (_, url) =>
        url.searchParams.get('cursor') === 'second'
          ? { deliveries: [failed('message.sent:1')], next_cursor: null }
          : { deliveries: tests.slice(0, Number(url.searchParams.get('limit'))), next_cursor: 'second' },
      'GET /api/client/webhooks/2/deliveries': (_, url) => ({
        deliveries: (url.searchParams.get('from') ?? '') <= '2026-01-04T19:59:59.000Z' ? [failed('message.sent:2')] : [],
        next_cursor: null,
      }),
    });
    await waitFor(() => expect(screen.getAllByRole('link', { name: /^See and recover failed events/ })).toHaveLength(2));
  });
});
