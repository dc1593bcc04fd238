import { useQuery } from '@tanstack/react-query';
import { api, request } from './client';

/** Conversations with unread messages. @param isEnabled false for people without a business */
export function useUnreadCount(isEnabled: boolean): number {
  const { data } = useQuery({
    queryKey: ['inbox', 'unread'],
    queryFn: () => request(api.GET('/api/client/conversations', { params: { query: { limit: '1' } } })),
    enabled: isEnabled,
    refetchInterval: 20_000,
    select: ({ counts }) => counts.unread,
  });
  return data ?? 0;
}
