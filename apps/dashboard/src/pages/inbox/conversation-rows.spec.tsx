/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { act, cleanup, renderHook, screen, waitFor } from '@testing-library/react';
import { QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { queries } from '../../api/client';
import { useEndlessQuery } from '../../components/use-endless-query';
import { draw, press } from '../../page.fixture';
import type { ListedConversation } from './conversation';
import { ConversationRows } from './conversation-rows';

const conversation = (id: number) =>
  ({
    id,
    customer_name: `Person ${id}`,
    customer_phone: `1201555${id}`,
    last_message: null,
    unread_count: 0,
    labels: [],
    needs_agent: false,
    waiting_since: null,
    created_at: '2026-11-23T09:00:00Z',
    session_window: { open: true, last_inbound_at: null, closes_at: null },
  }) as unknown as ListedConversation;

function Rows(rows: Parameters<typeof ConversationRows>[0]) {
  queries.setQueryData(['me'], { user: { id: 1 } });
  return <ConversationRows {...rows} />;
}

describe('a long list of conversations (decision 550)', () => {
  it('draws only the rows on the screen, loads the next page near the end, and offers the way back', async () => {
    const [onEnd, onNewest, onOpen] = [jest.fn(), jest.fn(), jest.fn()];
    const list = (count: number, isLive: boolean) => {
      const conversations = Array.from({ length: count }, (_, i) => conversation(i + 1));
      const actions = { onOpen, onEnd, onNewest: isLive ? undefined : onNewest };
      draw(
        <Rows conversations={conversations} search="" openId="2" {...actions}>
          the end
        </Rows>,
      );
    };
    list(20_000, false);
    const rows = screen.getAllByRole('button', { name: /Person/ });
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.length).toBeLessThan(60);
    expect(onEnd).not.toHaveBeenCalled();
    await press(/^Person 2 /);
    await press('Back to the newest');
    expect([onOpen.mock.calls, onNewest.mock.calls.length]).toEqual([[[conversation(2)]], 1]);
    cleanup();
    list(20, true);
    expect(onEnd).toHaveBeenCalledTimes(1);
    expect(screen.queryByRole('button', { name: 'Back to the newest' })).toBeNull();
  });

  it('refreshes its first page only, and keeps no other when the page closes', async () => {
    let loads = 0;
    const load = ({ cursor = '0' }: { cursor?: string }) => {
      loads += 1;
      return Promise.resolve({ from: Number(cursor), next_cursor: String(Number(cursor) + 1) });
    };
    const wrapper = ({ children }: { children: ReactNode }) => <QueryClientProvider client={queries}>{children}</QueryClientProvider>;
    const opened = renderHook(() => useEndlessQuery({ queryKey: ['endless'], load, rows: ({ from }) => [from] }), { wrapper });
    await waitFor(() => expect(opened.result.current.list.data).toEqual([0]));
    act(() => opened.result.current.loadMore());
    await waitFor(() => expect(opened.result.current.list.data).toEqual([0, 1]));
    expect(opened.result.current.isLive).toBe(false);
    await act(() => queries.invalidateQueries({ queryKey: ['endless'] }));
    expect(loads).toBe(2);
    act(() => opened.result.current.backToNewest());
    await waitFor(() => expect(opened.result.current.list.data).toEqual([0]));
    act(() => opened.result.current.loadMore());
    await waitFor(() => expect(opened.result.current.list.data).toEqual([0, 1]));
    opened.unmount();
    expect(queries.getQueryData(['endless'])).toMatchObject({ pages: [{ from: 0 }] });
    queries.clear();
  });
});
