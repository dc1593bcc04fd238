/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { screen, within } from '@testing-library/react';
import { openPage } from '../../open-page.fixture';
import { barBounds } from './bar-bounds';

const NOTHING = { sent: 0, delivered: 0, read: 0, failed: 0, refused: 0 };
const message = {
  message_id: 'wamid.A',
  to: '919876543210',
  type: 'text',
  template: null,
  text: 'Hello',
  sent_by: 'api',
  api_key_id: 1,
  api_status: 'success',
  delivery_status: 'read',
  failure_reason: null,
  sent_at: '2026-01-04T20:00:00.000Z',
};
/** A bar a day of India, from January 5 on. */
const bars = (count: number, hours = 24) =>
  Array.from({ length: count }, (_, i) => ({
    at: new Date(Date.parse('2026-01-04T18:30:00Z') + i * hours * 3_600_000).toISOString(),
    counts: [{ sent_by: 'api', ...NOTHING, sent: 10, delivered: 8, read: 5, failed: i }],
  }));
const counts = (more: object = {}) => ({
  from: '2026-01-04T18:30:00.000Z',
  to: '2026-01-08T18:30:00.000Z',
  timezone: 'Asia/Kolkata',
  bar_minutes: 1_440,
  bars: bars(4),
  previous: null,
  failures: [],
  ...more,
});
const log = (path: string, more: Parameters<typeof openPage>[1] = {}) =>
  openPage(path, {
    'GET /api/client/messages': () => ({ messages: [message], next_cursor: null }),
    'GET /api/client/messages/counts': () => counts(),
    ...more,
  });

describe('the message log (spec §10)', () => {
  it('decision 600: shows chosen moments as days of the business’s zone, and names the zone', async () => {
    log('/messages?from=2026-01-04T18:30:00.000Z&to=2026-01-06T18:30:00.000Z');
    await screen.findByText('All sent messages and their delivery; days and hours in the time zone Asia/Kolkata');
    const [from, to] = [screen.getByLabelText<HTMLInputElement>('From'), screen.getByLabelText<HTMLInputElement>('To')];
    expect([from.value, to.value]).toEqual(['2026-01-05', '2026-01-06']);
    await screen.findByText(/from Jan 5, 2026, 00:00 to Jan 9, 2026, 00:00, Asia\/Kolkata/);
  });

  it('decision 600: shows the times of a message in the business’s zone', async () => {
    log('/messages?id=wamid.A', {
      'GET /api/client/messages/wamid.A': () => ({
        message,
        timeline: [{ status: 'accepted', at: message.sent_at, reason: null }],
        webhooks: [],
      }),
    });
    const detail = await screen.findByRole('dialog', { name: 'Message' });
    await within(detail).findByText('Timeline, Asia/Kolkata');
    within(detail).getByText('Jan 5, 2026, 1:30:00 AM');
  });

  it('decision 600: bars of days choose days, and shorter ones choose moments', () => {
    expect(barBounds(counts(), 1, 2)).toEqual({ from: '2026-01-06', to: '2026-01-07' });
    const hours = counts({ bar_minutes: 60, bars: bars(3, 1), from: '2026-01-04T18:40:00.000Z', to: '2026-01-04T21:10:00.000Z' });
    expect(barBounds(hours, 0, 1)).toEqual({ from: '2026-01-04T18:40:00.000Z', to: '2026-01-04T20:30:00.000Z' });
    expect(barBounds(hours, 2, 2)).toEqual({ from: '2026-01-04T20:30:00.000Z', to: '2026-01-04T21:10:00.000Z' });
  });
});
