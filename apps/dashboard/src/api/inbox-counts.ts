import { useQuery } from '@tanstack/react-query';
import { api, request, type Schemas } from './client';

type Counted = Pick<Schemas['Conversations'], 'counts' | 'waiting_since'>;

/** The counts of the inbox, without its conversations; the navigation and the home page share them. */
export const inboxCountsQuery = {
  queryKey: ['inbox', 'counts'],
  queryFn: async (): Promise<Counted> => {
    const { counts, waiting_since } = await request(api.GET('/api/client/conversations', { params: { query: { limit: 1 } } }));
    return { counts, waiting_since };
  },
  refetchInterval: 20_000,
};

/** @returns a count of the inbox as every page shows it; the counts end at a thousand */
export const inboxCountShown = (count: number): string => (count >= 1_000 ? '999+' : String(count));

/** Conversations with unread messages. @param isEnabled false for people without a business */
export function useUnreadCount(isEnabled: boolean): number {
  // The title of a tab is read while the tab is hidden.
  return useQuery({ ...inboxCountsQuery, enabled: isEnabled, refetchIntervalInBackground: true }).data?.counts.unread ?? 0;
}
