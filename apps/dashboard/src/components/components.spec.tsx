/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { act, fireEvent, renderHook, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { api, request } from '../api/client';
import { draw, press, Refusal, requests, type } from '../page.fixture';
import { CapBanner } from './cap-banner';
import { duration, untilMidnight } from './clock';
import { ConfirmButton } from './confirm-button';
import { csvFile } from './csv-file';
import { DataTable } from './data-table';
import { ExpiryField } from './expiry-field';
import { Form } from './form';
import { LinkShownOnce } from './link-shown-once';
import { LoadMore } from './load-more';
import { isComplete, NewPasswordFields, NO_PASSWORD } from './new-password-fields';
import { NumberField } from './number-field';
import { QueryResult } from './query-result';
import { RelativeTime } from './relative-time';
import { quoted } from './shell-quote';
import { usePagedQuery } from './use-paged-query';
import { useSearchText } from './use-search-text';

describe('the dashboard’s components (decision 430)', () => {
  it('confirm: runs the action after its confirmation only, and puts the focus on the harmless button', async () => {
    const remove = jest.fn();
    draw(
      <ConfirmButton question="Remove Asha?" consequence="Her sessions end." onConfirm={remove}>
        Remove
      </ConfirmButton>,
    );
    await press('Remove');
    const dialog = screen.getByRole('dialog', { name: 'Remove Asha?' });
    expect(dialog.textContent).toContain('Her sessions end.');
    expect(screen.getByRole('button', { name: 'Go back' }).hasAttribute('data-autofocus')).toBe(true);
    await press('Go back');
    await press('Remove');
    expect(remove).not.toHaveBeenCalled();
    await press('Remove', 'button', screen.getByRole('dialog'));
    expect(remove).toHaveBeenCalledTimes(1);
  });

  it('form: submits without leaving the page', () => {
    const save = jest.fn();
    draw(<Form onSubmit={save} aria-label="form" />);
    const form = document.querySelector('form') as HTMLFormElement;
    expect(fireEvent.submit(form)).toBe(false);
    expect(save).toHaveBeenCalledTimes(1);
  });

  it('table: has a head for each column and scrolls by keyboard', () => {
    draw(
      <DataTable minWidth={400} columns={['Name', { children: 'Count', ta: 'right' }, { 'aria-label': 'Actions' }]}>
        <tr />
      </DataTable>,
    );
    expect(screen.getAllByRole('columnheader').map((head) => head.textContent || head.getAttribute('aria-label'))).toEqual([
      'Name',
      'Count',
      'Actions',
    ]);
    expect(document.querySelector('[tabindex="0"]')).not.toBeNull();
  });

  it('expiry: reads and writes the browser’s local time, and null without one', async () => {
    const change = jest.fn();
    const at = new Date(2026, 4, 6, 7, 8).toISOString();
    draw(<ExpiryField label="Expires" description="" value={at} onChange={change} />);
    expect((screen.getByLabelText('Expires') as HTMLInputElement).value).toBe('2026-05-06T07:08');
    await type('Expires', '2026-05-06T09:10');
    await type('Expires', '');
    expect(change.mock.calls).toEqual([[new Date(2026, 4, 6, 9, 10).toISOString()], [null]]);
  });

  it('number: reports 0 for what is no number', async () => {
    const change = jest.fn();
    draw(<NumberField label="Limit" value={5} onChange={change} />);
    await type('Limit', '12');
    await type('Limit', '');
    expect(change.mock.calls).toEqual([[12], [0]]);
  });

  it('password: needs eight characters, twice the same', async () => {
    function Fields() {
      const [value, setValue] = useState(NO_PASSWORD);
      return (
        <>
          <NewPasswordFields value={value} onChange={setValue} />
          {isComplete(value) && 'complete'}
        </>
      );
    }
    draw(<Fields />);
    await type(/^New password/, 'long enough');
    await type(/^Repeat/, 'long e');
    expect(document.body.textContent).not.toMatch(/differ|complete/);
    await type(/^Repeat/, 'short');
    expect(document.body.textContent).toContain('The passwords differ.');
    await type(/^Repeat/, 'long enough');
    expect(document.body.textContent).toContain('complete');
  });

  it('query: shows loading, the error with its request, and the data after another try', async () => {
    let fails = true;
    function List() {
      const list = usePagedQuery({
        queryKey: ['list'],
        load: (query) => request(api.GET('/api/client/erasures', { params: { query } })),
        rows: ({ erasures }) => erasures,
      });
      return (
        <>
          <QueryResult query={list}>{(rows) => rows.map(({ id }) => `row ${id};`)}</QueryResult>
          <LoadMore list={list}>Older</LoadMore>
        </>
      );
    }
    draw(<List />, {
      'GET /api/client/erasures': (_, url) => {
        if (fails) return new Refusal(403, { error: 'Not for you.', hint: 'Ask an owner.' });
        const cursor = url.searchParams.get('cursor');
        return { erasures: [{ id: cursor ?? 1 }], next_cursor: cursor ? null : '2' };
      },
    });
    expect(screen.getByLabelText('Loading')).toBeTruthy();
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toMatch(/Not for you\..*Ask an owner\. Request req-1/);
    fails = false;
    await press('Try again');
    await screen.findByText('row 1;');
    await press('Older');
    await screen.findByText('row 1;row 2;');
    expect(screen.queryByText('Older')).toBeNull();
    expect(requests).toHaveLength(3);
  });

  it('search: reports typed text after a pause, and follows the address', () => {
    jest.useFakeTimers();
    const change = jest.fn();
    const { result, rerender } = renderHook(({ q }: { q?: string }) => useSearchText(q, change), { initialProps: {} });
    act(() => result.current[1](' silk '));
    expect(change).not.toHaveBeenCalled();
    act(() => jest.advanceTimersByTime(300));
    expect(change.mock.calls).toEqual([['silk']]);
    rerender({ q: 'silk' });
    expect(result.current[0]).toBe(' silk ');
    rerender({ q: 'cotton' });
    expect(result.current[0]).toBe('cotton');
    jest.useRealTimers();
  });

  it('link: closes by its own button only', async () => {
    const done = jest.fn();
    draw(
      <LinkShownOnce link={{ url: 'https://a/b', expires_at: new Date().toISOString(), message: 'Copy it.' }} title="Link" done={done} />,
    );
    fireEvent.keyDown(document.body, { key: 'Escape' });
    expect(screen.queryByRole('button', { name: /close/i })).toBeNull();
    await press('I have copied it');
    expect(done).toHaveBeenCalledTimes(1);
  });

  it('cap: names the keys whose cap is used up, and none that expired', async () => {
    const key = { revoked_at: null, expires_at: null, used_today: 150, daily_limit: 150 };
    const api_keys = [
      { ...key, name: 'CRM' },
      { ...key, name: 'Shop', used_today: 149 },
      { ...key, name: 'Old', expires_at: '2020-01-01T00:00:00Z' },
    ];
    draw(<CapBanner business={{ plan: 'Growth', timezone: 'Asia/Kolkata' } as never} />, {
      'GET /api/client/api-keys': () => ({ api_keys }),
    });
    await waitFor(() => expect(screen.getByRole('alert').textContent).toMatch(/used up: CRM.*with this key/));
  });

  it.each([
    [-30_000, '30 seconds ago'],
    [-100_000, '2 minutes ago'],
    [7_200_000, 'in 2 hours'],
    [-86_400_000, 'yesterday'],
  ])('time: %i ms from now reads %s', (ms, text) => {
    draw(<RelativeTime at={new Date(Date.now() + ms).toISOString()} />);
    expect(screen.getByText(text)).toBeTruthy();
  });

  it.each([
    ['Asia/Kolkata', '2026-01-15T12:42:00Z', '5 h 48 min'],
    // This day has 25 hours.
    ['Europe/Berlin', '2026-10-24T22:30:00Z', '24 h 30 min'],
    // This day has 23 hours.
    ['Europe/Berlin', '2026-03-28T23:00:00Z', '23 h 0 min'],
    // The next day starts at 1:00.
    ['Africa/Cairo', '2026-04-23T20:00:00Z', '2 h 0 min'],
  ])('clock: in %s at %s a day still has %s', (zone, now, left) => expect(duration(untilMidnight(zone, Date.parse(now)))).toBe(left));

  it('text: quotes cells of CSV and words of a shell', () => {
    expect(
      decodeURIComponent(
        csvFile([
          ['a', 'b "c", d'],
          [1, 'two\nlines'],
        ]),
      ),
    ).toContain('a,"b ""c"", d"\r\n1,"two\nlines"');
    expect(quoted("it's")).toBe(`'it'\\''s'`);
  });
});
