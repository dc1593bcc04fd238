import { useQuery } from '@tanstack/react-query';
import { api, request } from '../../api/client';
import { periodTotals, totalsOf, type MessageCounts } from '../../api/message-counts';

const AGAIN_MS = 15_000;

/** Whether a message of the business was ever delivered; undefined until it is known. @param counts of any period */
export function useIsDelivered(counts: MessageCounts | undefined): boolean | undefined {
  const isCounted = counts && totalsOf(counts.previous ? [counts.previous] : []).delivered + periodTotals(counts).delivered > 0;
  const earlier = useQuery({
    queryKey: ['home', 'delivered'],
    queryFn: async () => {
      const first = (status: 'delivered' | 'read') => request(api.GET('/api/client/messages', { params: { query: { status, limit: 1 } } }));
      return (await Promise.all([first('delivered'), first('read')])).some(({ messages }) => messages.length > 0);
    },
    enabled: isCounted === false,
    refetchInterval: (query) => (query.state.data === true ? false : AGAIN_MS),
  });
  return isCounted || earlier.data;
}
