import { useQuery } from '@tanstack/react-query';
import { api, request } from '../../api/client';
import type { ThreadMessage } from './thread-message';

const MOST = 5;

interface SentTemplate {
  message_id: string;
  template: string;
  at: string;
  delivery_status: string | null;
}

/**
 * The newest templates that a customer got. The log has older ones than the loaded part of the thread, and the thread is live.
 * @param newest the loaded messages, the newest first
 */
export function useRecentTemplates(phone: string, newest: ThreadMessage[]): SentTemplate[] {
  const { data } = useQuery({
    queryKey: ['messages', 'templates of', phone],
    queryFn: () => request(api.GET('/api/client/messages', { params: { query: { phone, type: 'template', limit: MOST } } })),
    staleTime: 60_000,
  });
  const loaded = newest.flatMap(({ template, ...one }): SentTemplate[] => (template === null ? [] : [{ ...one, template }]));
  const ids = new Set(loaded.map(({ message_id }) => message_id));
  // The log also finds numbers of which this one is a part.
  const logged = (data?.messages ?? []).flatMap((one): SentTemplate[] =>
    one.to !== phone || one.template === null || ids.has(one.message_id)
      ? []
      : [{ message_id: one.message_id, template: one.template, at: one.sent_at, delivery_status: one.delivery_status }],
  );
  return [...loaded, ...logged].sort((a, b) => b.at.localeCompare(a.at)).slice(0, MOST);
}
