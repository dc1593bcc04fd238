/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { openPage } from '../../open-page.fixture';
import { press, type } from '../../page.fixture';

/** The page's connections, the newest last. */
const opened: Source[] = [];
class Source {
  static readonly CLOSED = 2;
  readyState = 1;
  onopen: () => void = () => undefined;
  onerror: () => void = () => undefined;
  private readonly listeners = new Map<string, (event: object) => void>();

  constructor(readonly url: string) {
    opened.push(this);
  }

  addEventListener(name: string, listener: (event: object) => void): void {
    this.listeners.set(name, listener);
  }

  close(): void {
    this.readyState = Source.CLOSED;
  }

  start(id: number, is_complete: boolean): void {
    act(() => this.listeners.get('stream.started')?.({ lastEventId: String(id), data: JSON.stringify({ is_complete }) }));
  }

  publish(id: number, event: string, data: object): void {
    const timestamp = new Date(Date.parse('2026-01-04T20:00:00Z') + id * 1_000).toISOString();
    act(() => this.listeners.get(event)?.({ lastEventId: String(id), data: JSON.stringify({ event, timestamp, data }) }));
  }
}
const tail = () => opened.at(-1) as Source;
const received = (id: number, text: string) => tail().publish(id, 'message.received', { from: '919876543210', text });
const texts = () =>
  within(screen.getByRole('table', { name: 'Events, the newest first' }))
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('cell').at(-1)?.textContent);

describe('the page of live events (spec §10, decision 606)', () => {
  let address: () => string;
  beforeEach(async () => {
    opened.length = 0;
    Object.assign(window, { EventSource: Source });
    address = openPage('/events');
    await screen.findByText('Waiting for events');
    expect(tail().url).toBe('/api/client/events/stream');
    act(() => tail().onopen());
    screen.getByText('live');
  });

  it('shows events as they happen, the newest first, and the body of one with its copy', async () => {
    received(1, 'Hello');
    tail().publish(2, 'message.status', { to: '12015550100', status: 'read' });
    tail().publish(3, 'broadcast.completed', { template_name: 'offer', sent: 9, failed: 1 });
    expect(texts()).toEqual(['9 sent, 1 failed', 'read', 'Hello']);
    screen.getByText('+91 98765 43210');
    screen.getByText('1:30:01 AM');
    fireEvent.click(screen.getByText('Hello'));
    const drawer = await screen.findByRole('dialog', { name: 'message.received' });
    within(drawer).getByText(/Jan 5, 2026, 1:30:01 AM, Asia\/Kolkata/);
    const shown = drawer.querySelector('pre')?.textContent ?? '';
    const data = { from: '919876543210', text: 'Hello' };
    expect(JSON.parse(shown)).toEqual({ event: 'message.received', timestamp: '2026-01-04T20:00:01.000Z', data });
    within(drawer).getByRole('button', { name: 'Copy the event' });
  });

  it('filters by type', async () => {
    received(1, 'Hello');
    tail().publish(2, 'message.status', { to: '12015550100', status: 'read' });
    fireEvent.click(screen.getByRole('combobox', { name: 'Event' }));
    await press('message.status', 'option');
    expect(texts()).toEqual(['read']);
  });

  it('filters by a part of a phone number, which the address keeps', async () => {
    received(1, 'Hello');
    tail().publish(2, 'message.status', { to: '12015550100', status: 'read' });
    tail().publish(3, 'suppression.changed', { phone: '12015550100', state: 'blocked' });
    tail().publish(4, 'broadcast.completed', { template_name: 'offer', sent: 9, failed: 1 });
    await type('Phone', '+1 201 555');
    await waitFor(() => expect(texts()).toEqual(['blocked', 'read']));
    expect(address()).toMatch(/phone=\+1[+ ]201[+ ]555/);
    fireEvent.click(screen.getByRole('combobox', { name: 'Event' }));
    await press('message.status', 'option');
    expect(texts()).toEqual(['read']);
    await type('Phone', '999');
    await screen.findByText('No events match these filters');
  });

  it('decision 667: marks where events may be missing, and continues a stream that broke before its first event', async () => {
    tail().start(5.999, true);
    const show = (hidden: boolean) => {
      Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
      act(() => void document.dispatchEvent(new Event('visibilitychange')));
    };
    show(true);
    show(false);
    expect(tail().url).toBe('/api/client/events/stream?after=5.999');
    tail().start(5.999, true);
    received(7, 'seven');
    expect(texts()).toEqual(['seven']);
    act(() => tail().onerror());
    tail().start(20, false);
    received(21, 'late');
    const [newest, gap, oldest, ...others] = texts();
    expect([newest, oldest, others]).toEqual(['late', 'seven', []]);
    expect(gap).toMatch(/^Events may be missing: the connection was interrupted from [\d:]+ [AP]M to [\d:]+ [AP]M\.$/);
    await type('Phone', '12015550100');
    await waitFor(() => expect(texts()).toEqual([gap]));
    fireEvent.click(screen.getByText('Interrupted'));
    await screen.findByRole('dialog', { name: 'Interrupted' });
  });

  it('keeps its rows while it is paused or pointed at, counts what waits, and shows it afterwards', async () => {
    received(1, 'one');
    await press('Pause');
    received(2, 'two');
    received(3, 'three');
    expect(texts()).toEqual(['one']);
    screen.getByText('2 new events waiting');
    await press('Continue');
    expect(texts()).toEqual(['three', 'two', 'one']);
    const point = (type: string) =>
      fireEvent(screen.getByText('one'), Object.assign(new MouseEvent(type, { bubbles: true }), { pointerType: 'mouse' }));
    point('pointerover');
    received(4, 'four');
    expect(texts()).toEqual(['three', 'two', 'one']);
    point('pointerout');
    expect(texts()).toEqual(['four', 'three', 'two', 'one']);
  });

  it('holds a bounded number of events', () => {
    act(() => {
      for (let id = 1; id <= 510; id++) received(id, `no. ${id}`);
    });
    expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('501');
    expect(texts()[0]).toBe('no. 510');
  });

  it('continues after the last event when the tab is shown again, and shows no event twice', () => {
    received(7, 'seven');
    const show = (hidden: boolean) => {
      Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
      act(() => void document.dispatchEvent(new Event('visibilitychange')));
    };
    const first = tail();
    show(true);
    expect([first.readyState, opened.length]).toEqual([Source.CLOSED, 1]);
    screen.getByText('connecting');
    show(false);
    expect(tail().url).toBe('/api/client/events/stream?after=7');
    received(7, 'seven');
    received(8, 'eight');
    expect(texts()).toEqual(['eight', 'seven']);
  });

  it('connects again after the server refused a connection', () => {
    received(7, 'seven');
    jest.useFakeTimers();
    tail().close();
    act(() => tail().onerror());
    act(() => void jest.advanceTimersByTime(5_000));
    jest.useRealTimers();
    expect(opened.map(({ url }) => url)).toEqual(['/api/client/events/stream', '/api/client/events/stream?after=7']);
  });
});
