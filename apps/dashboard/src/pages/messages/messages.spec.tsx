/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { openPage } from '../../open-page.fixture';
import { press, Refusal, type } from '../../page.fixture';
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

  it('decision 23a: calls a message with an unclear outcome not confirmed, and explains that it may have been sent', async () => {
    const failure_reason = 'OUTCOME_UNKNOWN: WhatsApp gave no clear response, so the message may have been sent (no response in time).';
    const unclear = { ...message, message_id: 'gw_1', api_status: 'failed', delivery_status: 'failed', failure_reason };
    log('/messages?id=gw_1', {
      'GET /api/client/messages': () => ({ messages: [unclear], next_cursor: null }),
      'GET /api/client/messages/gw_1': () => ({
        message: unclear,
        timeline: [{ status: 'failed', at: unclear.sent_at, reason: failure_reason }],
        webhooks: [],
      }),
    });
    const detail = await screen.findByRole('dialog', { name: 'Message' });
    await within(detail).findByText('not confirmed');
    within(detail).getByText(/^WhatsApp gave no clear response, so the message may have been sent/);
    const table = await screen.findByRole('table', { name: 'Messages', hidden: true });
    within(table).getByText('not confirmed');
    expect(within(table).queryByText('failed')).toBeNull();
  });

  it('decision 600: bars of days choose days, and shorter ones choose moments', () => {
    expect(barBounds(counts(), 1, 2)).toEqual({ from: '2026-01-06', to: '2026-01-07' });
    const hours = counts({ bar_minutes: 60, bars: bars(3, 1), from: '2026-01-04T18:40:00.000Z', to: '2026-01-04T21:10:00.000Z' });
    expect(barBounds(hours, 0, 1)).toEqual({ from: '2026-01-04T18:40:00.000Z', to: '2026-01-04T20:30:00.000Z' });
    expect(barBounds(hours, 2, 2)).toEqual({ from: '2026-01-04T20:30:00.000Z', to: '2026-01-04T21:10:00.000Z' });
  });

  describe('decision 603: the histogram', () => {
    const bar = (name: string) => screen.getByRole('button', { name: new RegExp(`^${name}`) });
    const first = 'Mon, Jan 5: 5 read, 3 delivered, 2 on the way, 0 failed';

    it('chooses a period by a drag over its bars', async () => {
      const address = log('/messages?period=7d');
      const plot = (await screen.findByRole('button', { name: first })).parentElement as HTMLElement;
      plot.getBoundingClientRect = () => ({ left: 0, width: 400 }) as DOMRect;
      const pointer = (type: string, clientX: number) => fireEvent(plot, new MouseEvent(type, { clientX, bubbles: true }));
      pointer('pointerdown', 350);
      pointer('pointermove', 250);
      expect([bar('Tue'), bar('Wed'), bar('Thu')].map((one) => one.hasAttribute('data-chosen'))).toEqual([false, true, true]);
      pointer('pointermove', 120);
      pointer('pointerup', 120);
      await waitFor(() => expect(address()).toBe('/messages?from=2026-01-06&to=2026-01-08'));
    });

    it('decision 801: chooses the narrow bars below a finger, and one by a mouse', async () => {
      for (const [pointerType, period] of [
        ['touch', 'from=2026-01-06&to=2026-01-08'],
        ['mouse', 'from=2026-01-07&to=2026-01-07'],
      ]) {
        const address = log('/messages?period=7d');
        const plot = (await screen.findByRole('button', { name: first })).parentElement as HTMLElement;
        plot.getBoundingClientRect = () => ({ left: 0, width: 40 }) as DOMRect;
        for (const type of ['pointerdown', 'pointerup'])
          fireEvent(plot, Object.assign(new MouseEvent(type, { clientX: 25, bubbles: true }), { pointerType }));
        await waitFor(() => expect(address()).toBe(`/messages?${period}`));
      }
    });

    it('chooses one bar by Enter and more by Shift with arrows', async () => {
      const address = log('/messages');
      await screen.findByRole('button', { name: first });
      expect([bar('Mon').tabIndex, bar('Tue').tabIndex]).toEqual([0, -1]);
      bar('Mon').focus();
      fireEvent.keyDown(bar('Mon'), { key: 'ArrowRight' });
      expect(document.activeElement).toBe(bar('Tue'));
      fireEvent.click(bar('Tue'), { detail: 0 });
      await waitFor(() => expect(address()).toBe('/messages?from=2026-01-06&to=2026-01-06'));
      fireEvent.keyDown(bar('Tue'), { key: 'ArrowRight', shiftKey: true });
      fireEvent.keyDown(bar('Wed'), { key: 'End', shiftKey: true });
      fireEvent.click(bar('Thu'), { detail: 0 });
      await waitFor(() => expect(address()).toBe('/messages?from=2026-01-06&to=2026-01-08'));
    });

    it('explains that it could not be loaded, and loads again', async () => {
      let fails = true;
      const refusal = new Refusal(400, { error: 'from must not be after to', error_code: 'VALIDATION_FAILED' });
      log('/messages?from=2026-01-09&to=2026-01-08', { 'GET /api/client/messages/counts': () => (fails ? refusal : counts()) });
      const card = (await screen.findByText('from must not be after to')).closest('section') as HTMLElement;
      fails = false;
      await press('Try again', 'button', card);
      await screen.findByRole('button', { name: first });
    });
  });

  it('additions §8: filters by a rotated key under the first key of its rotations, and by a number that a button clears', async () => {
    const key = (id: number, sends_as: number, name: string) => ({ id, sends_as, name, revoked_at: null });
    const api_keys = [key(7, 1, 'CRM, new'), key(4, 4, 'Shop'), key(1, 1, 'CRM'), key(3, 1, 'CRM')];
    const address = log('/messages?type=text', { 'GET /api/client/api-keys': () => ({ api_keys }) });
    fireEvent.click(await screen.findByRole('combobox', { name: 'API key' }));
    await screen.findByRole('option', { name: 'Shop' });
    expect(screen.getAllByRole('option', { name: /CRM|Shop/ }).map(({ textContent }) => textContent)).toEqual(['CRM, new', 'Shop']);
    await press('CRM, new', 'option');
    await waitFor(() => expect(address()).toBe('/messages?type=text&api_key_id="1"'));
    await type('Phone', '555');
    fireEvent.blur(screen.getByLabelText('Phone'));
    await waitFor(() => expect(address()).toContain('phone'));
    await press('Clear “Phone”');
    await waitFor(() => expect(address()).toBe('/messages?type=text&api_key_id="1"'));
  });
});
