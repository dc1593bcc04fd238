import { useQuery } from '@tanstack/react-query';
import { useState, type KeyboardEvent } from 'react';
import { api, request } from '../../api/client';
import { matchingReplies, type QuickReply } from './matching-replies';

export const quickRepliesQuery = {
  queryKey: ['quick-replies'],
  queryFn: () => request(api.GET('/api/client/quick-replies')),
  staleTime: 60_000,
  // A colleague may change or delete one while a conversation stays open.
  refetchInterval: 60_000,
};

/** Quick replies for a field: the matches of its text, and the keys that choose one. */
export function useQuickReplies(text: string, onChange: (text: string) => void) {
  const { data } = useQuery(quickRepliesQuery);
  const [active, setActive] = useState(0);
  const [dismissed, setDismissed] = useState<string | null>(null);
  const matches = text === dismissed ? [] : matchingReplies(data?.quick_replies ?? [], text);
  const at = Math.min(active, matches.length - 1);
  const choose = (reply: QuickReply) => {
    setActive(0);
    onChange(reply.text);
  };
  /** @returns whether the menu handled the key */
  const onKey = ({ key, shiftKey }: KeyboardEvent): boolean => {
    const chosen = matches[at];
    if (!chosen || shiftKey) return false;
    if (key === 'ArrowDown') setActive((at + 1) % matches.length);
    else if (key === 'ArrowUp') setActive((at + matches.length - 1) % matches.length);
    else if (key === 'Enter' || key === 'Tab') choose(chosen);
    else if (key === 'Escape') setDismissed(text);
    else return false;
    return true;
  };
  return { matches, active: at, choose, onKey };
}
