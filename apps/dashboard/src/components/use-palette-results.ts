import { useDebouncedValue } from '@mantine/hooks';
import type { SpotlightActionData } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { api, ApiError, request } from '../api/client';
import { mayCall, useMe } from '../api/session';
import { phoneShown } from './phone-shown';
import { visibleName } from './visible-name';

/** A shorter text would match nearly everything. */
const SHORTEST = 2;
/** The most results of a group. */
const MOST = 5;
const IS_MESSAGE_ID = /^wamid\.\S+$/;

interface Group {
  group: string;
  actions: SpotlightActionData[];
}

/** @param open opens a page with these search values @returns what matches a text of the palette, and whether it still searches */
export function usePaletteResults(
  text: string,
  open: (to: string, search: Record<string, string>) => void,
): { groups: Group[]; isSearching: boolean } {
  const { role } = useMe().user;
  const typed = text.trim();
  const [q] = useDebouncedValue(typed, 250);
  const isLong = q.length >= SHORTEST;
  const isId = IS_MESSAGE_ID.test(q);
  const conversations = useQuery({
    queryKey: ['palette', 'conversations', q],
    queryFn: ({ signal }) => request(api.GET('/api/client/conversations', { signal, params: { query: { q, limit: 2 * MOST } } })),
    enabled: isLong && q.length <= 100 && !isId && mayCall(role, 'GET /api/client/conversations'),
  });
  const message = useQuery({
    queryKey: ['messages', 'one', q],
    queryFn: ({ signal }) => request(api.GET('/api/client/messages/{message_id}', { signal, params: { path: { message_id: q } } })),
    enabled: isId && mayCall(role, 'GET /api/client/messages/{message_id}'),
  });
  const templates = useQuery({
    queryKey: ['templates'],
    queryFn: () => request(api.GET('/api/client/templates')),
    enabled: isLong && mayCall(role, 'GET /api/client/templates'),
  });
  const searches = [conversations, message, templates];
  // The palette filters all actions by the text; the server has chosen these.
  const result = (id: string, label: string, description: string, onClick: () => void): SpotlightActionData => ({
    id,
    label,
    description,
    keywords: q,
    onClick,
  });
  const listed = conversations.data?.conversations ?? [];
  const name = ({ customer_name, customer_phone }: (typeof listed)[number]) => visibleName(customer_name) || phoneShown(customer_phone);
  const toConversation = (id: number, message?: string) => () => open('/inbox', { id: String(id), ...(message && { message }) });
  const names = [...new Set(templates.data?.templates.map((one) => one.name))].filter((one) => one.includes(q.toLowerCase()));
  const failed = searches.filter(({ error }) => error && !(error instanceof ApiError && error.status === 404));
  const groups = !isLong
    ? []
    : [
        {
          group: 'Customers',
          actions: listed
            .filter(({ found }) => !found)
            .slice(0, MOST)
            .map((one) => result(`customer ${one.id}`, name(one), phoneShown(one.customer_phone), toConversation(one.id))),
        },
        {
          group: 'Messages',
          actions: [
            ...(message.data
              ? [
                  result(`message ${q}`, message.data.message.text || q, `to ${phoneShown(message.data.message.to)}`, () =>
                    open('/messages', { id: q }),
                  ),
                ]
              : []),
            ...listed
              .flatMap((one) =>
                one.found ? [result(`found ${one.id}`, one.found.text, name(one), toConversation(one.id, one.found.message_id))] : [],
              )
              .slice(0, MOST),
          ],
        },
        {
          group: 'Templates',
          actions: names.slice(0, MOST).map((one) => result(`template ${one}`, one, 'Template', () => open('/templates', { name: one }))),
        },
        {
          group: 'Search',
          actions: failed.map(({ error, refetch }, i) => ({
            ...result(`failed ${i}`, 'The search failed. Press Enter to try again.', error?.message ?? '', () => void refetch()),
            closeSpotlightOnTrigger: false,
          })),
        },
      ].filter(({ actions }) => actions.length > 0);
  return { groups, isSearching: typed !== q || searches.some(({ isLoading }) => isLoading) };
}
