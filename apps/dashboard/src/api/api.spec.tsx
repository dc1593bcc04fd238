/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { focusManager, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, renderHook, screen, waitFor } from '@testing-library/react';
import type { PropsWithChildren } from 'react';
import { mayOpen, pagesOf } from '../navigation';
import { LoadMore } from '../components/load-more';
import { usePagedQuery } from '../components/use-paged-query';
import { openPage } from '../open-page.fixture';
import { draw, press, Refusal, sent } from '../page.fixture';
import { api, queries, request } from './client';
import { useUnreadCount } from './inbox-counts';
import { uploadFile } from './upload-file';
import { useChange } from './use-change';
import { useFormChanges } from './use-form-changes';
import { keptValue } from './kept-value';
import { useKeptState } from './use-kept-state';
import { useLiveRefresh } from './use-live-refresh';

describe('what pages share to read and change (decision 430)', () => {
  it('form: sends changed fields only, and keeps what a person changed while the request ran', () => {
    const { result } = renderHook(() => useFormChanges({ name: 'a', words: ['x'], limit: 1 }));
    act(() => result.current.set({ name: 'b', words: ['x'] }));
    expect(result.current.changes).toEqual({ name: 'b' });
    act(() => result.current.set({ limit: 2 }));
    act(() => result.current.done({ name: 'b' }));
    expect(result.current.draft).toEqual({ name: 'a', words: ['x'], limit: 2 });
  });

  it('form: a restored field follows the changes of others, unless a request is writing it', () => {
    const { result, rerender } = renderHook(({ name, isSaving = false }) => useFormChanges({ name }, isSaving), {
      initialProps: { name: 'a' } as { name: string; isSaving?: boolean },
    });
    act(() => result.current.set({ name: 'b' }));
    act(() => result.current.set({ name: 'a' }));
    rerender({ name: 'c' });
    expect(result.current).toMatchObject({ draft: { name: 'c' }, changes: {} });
    act(() => result.current.set({ name: 'd' }));
    rerender({ name: 'c', isSaving: true });
    act(() => result.current.set({ name: 'c' }));
    rerender({ name: 'd' });
    act(() => result.current.done({ name: 'd' }));
    expect(result.current.changes).toEqual({ name: 'c' });
  });

  it('change: reports the message, reloads the queries, and shows an error with its request', async () => {
    let fails = false;
    function Limits() {
      const change = useChange((n: number) => request(api.PUT('/api/admin/limits', { body: { global_per_minute: n } })), 'limits');
      return <button onClick={() => change.mutate(5)}>Save</button>;
    }
    const reload = jest.spyOn(queries, 'invalidateQueries');
    draw(<Limits />, {
      'PUT /api/admin/limits': () => (fails ? new Refusal(503, { error: 'Not now.', hint: 'Wait.' }) : { message: 'Saved.' }),
    });
    await press('Save');
    await screen.findByText('Saved.');
    expect(sent()).toEqual([{ route: 'PUT /api/admin/limits', body: { global_per_minute: 5 } }]);
    expect(reload).toHaveBeenCalledWith({ queryKey: ['limits'] });
    fails = true;
    await press('Save');
    await screen.findByText('Not now.');
    expect(document.body.textContent).toContain('Wait. · Request req-1');
    expect(reload).toHaveBeenCalledTimes(1);
  });

  it('decision 729: a request without a response ends after a minute, one with a long body later', async () => {
    jest.useFakeTimers();
    const silent = () => new Promise(() => undefined);
    draw(<p />, { 'GET /api/client/labels': silent, 'POST /api/client/suppressions/import': silent });
    const ended: string[] = [];
    const rows = Array.from({ length: 5_000 }, (_, i) => ({ phone: `+${12015500000 + i}`, state: 'opted_out' as const }));
    const wait = (name: string, call: Promise<unknown>) => void call.catch((error: Error) => ended.push(`${name} ${error.name}`));
    wait('load', request(api.GET('/api/client/labels')));
    wait('import', request(api.POST('/api/client/suppressions/import', { body: { rows } })));
    await jest.advanceTimersByTimeAsync(59_000);
    expect(ended).toEqual([]);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(ended).toEqual(['load AbortError']);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(ended).toEqual(['load AbortError', 'import AbortError']);
    jest.useRealTimers();
  });

  it('decision 729: an upload ends a minute after its last progress without a response', async () => {
    jest.useFakeTimers();
    const upload: { onprogress?: (progress: object) => void } = {};
    const abort = jest.fn();
    class Upload {
      upload = upload;
      open = () => undefined;
      setRequestHeader = () => undefined;
      send = () => undefined;
      abort = abort;
    }
    Object.assign(window, { XMLHttpRequest: Upload });
    let problem = '';
    const file = new File(['x'], 'offer.png', { type: 'image/png' });
    void uploadFile('/api/client/media', file, () => undefined, new AbortController().signal).catch(
      (error: Error) => (problem = error.message),
    );
    await jest.advanceTimersByTimeAsync(59_000);
    upload.onprogress?.({ loaded: 1, total: 1 });
    await jest.advanceTimersByTimeAsync(59_000);
    expect([problem, abort.mock.calls.length]).toEqual(['', 0]);
    await jest.advanceTimersByTimeAsync(2_000);
    expect([problem, abort.mock.calls.length]).toEqual(['The server did not respond.', 1]);
    jest.useRealTimers();
  });

  it('decision 729: a list of recipients may load for minutes, and a caller can end its request', async () => {
    jest.useFakeTimers();
    const signals: AbortSignal[] = [];
    const types = ['text/csv; charset=utf-8', 'application/json'];
    const respond = async (_: Request, { signal }: { signal: AbortSignal }) => {
      signals.push(signal);
      const [type = ''] = types.splice(0, 1);
      return new Response('{}', { headers: { 'content-type': type } });
    };
    Object.assign(window, { respond });
    const params = { path: { id: 1 }, query: { format: 'csv' as const } };
    await request(api.GET('/api/client/broadcasts/{id}/recipients', { params, parseAs: 'text' }));
    await request(api.GET('/api/client/labels'));
    await jest.advanceTimersByTimeAsync(61_000);
    const control = new AbortController();
    await request(api.GET('/api/client/labels', { signal: control.signal }));
    control.abort();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true, true]);
    jest.useRealTimers();
  });

  describe('live', () => {
    class Stream {
      static readonly CLOSED = 2;
      readyState = 1;
      onerror: () => void = () => undefined;
      on: Record<string, () => void> = {};
      close = jest.fn();
      constructor() {
        streams.push(this);
      }
      addEventListener(name: string, hear: () => void) {
        this.on[name] = hear;
      }
    }
    const streams: Stream[] = [];
    function Live() {
      useLiveRefresh('inbox', { names: ['message.received'] });
      return null;
    }
    let reload: jest.SpyInstance;
    beforeEach(() => {
      streams.length = 0;
      Object.assign(window, { EventSource: Stream });
      reload = jest.spyOn(queries, 'invalidateQueries').mockClear().mockResolvedValue();
    });
    afterEach(() => {
      jest.restoreAllMocks();
      jest.useRealTimers();
    });

    const show = (isShown: boolean) => {
      jest.spyOn(document, 'hidden', 'get').mockReturnValue(!isShown);
      document.dispatchEvent(new Event('visibilitychange'));
    };

    it('connects again after the server refused a connection, and refreshes then', () => {
      jest.useFakeTimers();
      draw(<Live />);
      Object.assign(streams[0] as Stream, { readyState: Stream.CLOSED });
      streams[0]?.onerror();
      act(() => void jest.advanceTimersByTime(5_000));
      expect(streams).toHaveLength(2);
      // The session may have ended.
      expect(reload.mock.calls).toEqual([[{ queryKey: ['me'] }]]);
      streams[1]?.on['open']?.();
      expect(reload.mock.calls).toEqual([[{ queryKey: ['me'] }], [{ queryKey: ['inbox'] }]]);
    });

    it('refreshes once when a stream opens: with the page, and when its tab is shown again', async () => {
      jest.useFakeTimers();
      draw(<Live />);
      expect(reload).not.toHaveBeenCalled();
      streams[0]?.on['open']?.();
      expect(reload.mock.calls).toEqual([[{ queryKey: ['inbox'] }]]);
      await act(() => jest.advanceTimersByTimeAsync(5_000));
      show(false);
      show(true);
      expect([streams.length, reload.mock.calls.length]).toEqual([2, 1]);
      streams[1]?.on['open']?.();
      await act(() => jest.advanceTimersByTimeAsync(5_000));
      expect(reload.mock.calls).toEqual([[{ queryKey: ['inbox'] }], [{ queryKey: ['inbox'] }]]);
    });

    it('decision 795: replaces a connection without a heartbeat, and refreshes at once even if an earlier refresh gets no response', async () => {
      jest.useFakeTimers();
      draw(<Live />);
      const wait = (ms: number) => act(() => jest.advanceTimersByTimeAsync(ms));
      streams[0]?.on['open']?.();
      for (let beats = 0; beats < 10; beats++) {
        await wait(4_000);
        streams[0]?.on['stream.started']?.();
      }
      expect(streams).toHaveLength(1);
      reload.mockClear().mockReturnValue(new Promise(() => undefined));
      streams[0]?.on['message.received']?.();
      await wait(21_000);
      expect([streams.length, streams[0]?.close.mock.calls.length, reload.mock.calls.length]).toEqual([2, 1, 1]);
      streams[1]?.on['open']?.();
      expect(reload).toHaveBeenCalledTimes(2);
      cleanup();
      await wait(60_000);
      expect(streams).toHaveLength(2);
    });

    it('refreshes one at a time, and closes its stream with the page', async () => {
      draw(<Live />);
      for (let i = 0; i < 5; i++) streams[0]?.on['message.received']?.();
      expect(reload.mock.calls).toEqual([[{ queryKey: ['inbox'] }]]);
      await waitFor(() => expect(reload).toHaveBeenCalledTimes(2), { timeout: 5_000 });
      show(false);
      expect([streams.length, streams[0]?.close.mock.calls.length]).toEqual([1, 1]);
    });
  });

  it('the count of unread conversations, which the title of a hidden tab shows, goes on being loaded', async () => {
    jest.useFakeTimers();
    let unread = 1;
    function Count() {
      return <>{useUnreadCount(true)} unread</>;
    }
    draw(<Count />, { 'GET /api/client/conversations': () => ({ counts: { unread }, waiting_since: null }) });
    await act(() => jest.advanceTimersByTimeAsync(100));
    focusManager.setFocused(false);
    unread = 2;
    await act(() => jest.advanceTimersByTimeAsync(25_000));
    expect(document.body.textContent).toContain('2 unread');
    focusManager.setFocused(undefined);
    jest.useRealTimers();
  });

  it('refresh: waits for the next page of a list, which it would cancel', async () => {
    const ends: (() => void)[] = [];
    function List() {
      const list = usePagedQuery({
        queryKey: ['list'],
        load: async ({ cursor = 'first' }) => {
          if (cursor === 'second') await new Promise<void>((end) => ends.push(end));
          return { row: `${cursor} page`, next_cursor: cursor === 'first' ? 'second' : null };
        },
        rows: ({ row }) => [row],
      });
      return (
        <>
          {list.data?.join()}
          <LoadMore list={list}>More</LoadMore>
        </>
      );
    }
    draw(<List />);
    await screen.findByText('first page');
    await press('More');
    const refreshed = queries.invalidateQueries({ queryKey: ['list'] });
    await act(async () => ends[0]?.());
    await screen.findByText('first page,second page');
    await waitFor(() => expect(ends).toHaveLength(2));
    await act(async () => ends[1]?.());
    await refreshed;
  });

  it('kept state: survives a reload, belongs to one user, and changes even after its page is gone, in the page that shows it now', () => {
    const page = (userId: number) => {
      queries.setQueryData(['me'], { user: { id: userId } });
      const wrapper = ({ children }: PropsWithChildren) => <QueryClientProvider client={queries}>{children}</QueryClientProvider>;
      return renderHook(() => useKeptState('draft 1', ''), { wrapper });
    };
    const first = page(1);
    act(() => first.result.current[1]('half a reply'));
    first.unmount();
    expect(page(2).result.current[0]).toBe('');
    const second = page(1);
    expect(second.result.current[0]).toBe('half a reply');
    second.unmount();
    act(() => second.result.current[2]());
    const third = page(1);
    expect(third.result.current[0]).toBe('');
    act(() => third.result.current[1]('half a reply'));
    third.unmount();
    const fourth = page(1);
    act(() => fourth.result.current[1]('half a reply and more'));
    act(() => third.result.current[2]());
    expect(fourth.result.current[0]).toBe('half a reply and more');
    act(() => third.result.current[3]((now) => `${now}!`));
    expect([fourth.result.current[0], page(1).result.current[0]]).toEqual(Array(2).fill('half a reply and more!'));
  });

  it('kept value: keeps nothing rather than an old value when the storage of the browser is full', () => {
    const kept = keptValue<string>(1, 'list');
    expect([kept.write('short'), kept.read()]).toEqual([true, 'short']);
    expect([kept.write('x'.repeat(6_000_000)), kept.read()]).toEqual([false, null]);
  });

  describe('a logout in another tab', () => {
    class Channel {
      static newest: Channel | undefined;
      onmessage?: (event: { data: number | null }) => void;
      constructor() {
        Channel.newest = this;
      }
      postMessage() {}
    }
    const openTab = async () => {
      Object.assign(window, { BroadcastChannel: Channel });
      let session: typeof import('./session') | undefined;
      await jest.isolateModulesAsync(async () => void (session = await import('./session')));
      sessionStorage.setItem('kept 1 draft 1', '"Half a reply"');
      return session;
    };
    const announce = (data: number | null) => Channel.newest?.onmessage?.({ data });
    afterEach(() => sessionStorage.clear());

    it('deletes the drafts of this tab, even on its login page', async () => {
      await openTab();
      announce(1);
      expect(sessionStorage).toHaveLength(1);
      announce(null);
      expect(sessionStorage).toHaveLength(0);
    });

    it('deletes the drafts of an open page, as does another person’s login', async () => {
      for (const next of [null, 2]) {
        const session = await openTab();
        draw(null, { 'GET /api/client/me': () => ({ user: { id: 1, role: 'agent' } }) });
        await session?.meQuery.queryFn();
        announce(1);
        expect(sessionStorage).toHaveLength(1);
        announce(next);
        expect(sessionStorage).toHaveLength(0);
      }
    });
  });

  it('a role that an owner changes: the page follows within a minute, and a page that it may not open is left', async () => {
    jest.useFakeTimers();
    let role = 'owner';
    const present = openPage('/people', {
      'GET /api/client/me': () => ({ user: { id: 1, name: 'Asha', role }, business: { id: 1, name: 'Kaveri', plan: 'Growth' } }),
      'GET /api/client/suppressions': () => ({ suppressions: [], next_cursor: null }),
    });
    const wait = (ms: number) => act(() => jest.advanceTimersByTimeAsync(ms));
    await waitFor(() => expect(screen.getByRole('link', { name: 'Webhooks' })).toBeTruthy());
    role = 'agent';
    await wait(61_000);
    await waitFor(() => expect(present()).toMatch(/^\/inbox/));
    expect(screen.queryByRole('link', { name: 'Webhooks' })).toBeNull();
    jest.useRealTimers();
  });

  it('navigation: shows each role the pages whose routes it may call', () => {
    expect(pagesOf('agent').map(({ to }) => to)).toEqual(['/inbox', '/messages', '/templates']);
    expect(pagesOf('operator').every(({ to }) => to.startsWith('/operator'))).toBe(true);
    expect([mayOpen('agent', '/settings'), mayOpen('agent', '/account'), mayOpen('owner', '/operator/audit')]).toEqual([
      false,
      true,
      false,
    ]);
    expect(mayOpen('owner', '/settings')).toBe(true);
  });
});
