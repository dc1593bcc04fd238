import { useRef } from 'react';
import type { ListedConversation } from './conversation';

type List = ListedConversation[];

/**
 * Finds the conversation below or above the open one. A reply or a close moves the row of the open conversation or takes it out of the list. Its
 * place is then the one at which it was opened, between the rows that have not moved since.
 * @param listName distinguishes the views and filters
 * @param list undefined while it loads
 * @param isFresh false while a request may bring another order
 * @returns a function with the id of the open conversation, which may be newer than `openId`
 */
export function useNeighbor(openId: string | undefined, listName: string, list: List | undefined, isFresh: boolean) {
  const opened = useRef<{ id: string | undefined; listName: string; list: List }>({ id: undefined, listName, list: [] });
  const listAtOpening = (id: string | undefined) => {
    const { current: kept } = opened;
    return kept.id === id && kept.listName === listName && placeOf(id, kept.list) !== -1 ? kept.list : undefined;
  };
  if (list && isFresh && !listAtOpening(openId)) opened.current = { id: openId, listName, list };
  return (by: 1 | -1, id: string | undefined): ListedConversation | undefined => list && neighbor(by, id, list, listAtOpening(id) ?? list);
}

const placeOf = (id: string | undefined, list: List) => list.findIndex((one) => String(one.id) === id);

/** The values by which the list is sorted: a row moves only when one of them changes. */
const rankOf = ({ status, waiting_since, session_window, last_message }: ListedConversation) =>
  JSON.stringify([status, waiting_since, session_window.last_inbound_at, last_message?.at]);

function neighbor(by: 1 | -1, openId: string | undefined, list: List, before: List): ListedConversation | undefined {
  const at = placeOf(openId, before);
  if (at === -1) return list[0];
  const ranks = new Map(before.map((one) => [one.id, rankOf(one)]));
  const hasStayed = (one: ListedConversation) => ranks.get(one.id) === rankOf(one);
  const now = placeOf(openId, list);
  if (list[now] && hasStayed(list[now])) return list[now + by];
  const others = list.filter((_, place) => place !== now);
  const places = new Map(others.flatMap((one, place) => (hasStayed(one) ? [[one.id, place]] : [])));
  const nearest = (rows: List) => rows.map(({ id }) => places.get(id)).find((place) => place !== undefined);
  const [above, below] = [nearest(before.slice(0, at).reverse()), nearest(before.slice(at + 1))];
  const [ahead, behind] = by === 1 ? [below, above] : [above, below];
  return others[ahead ?? (behind === undefined ? at + Math.min(by, 0) : behind + by)];
}
