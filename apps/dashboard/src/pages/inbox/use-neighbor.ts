import { useRef } from 'react';
import type { ListedConversation } from './conversation';

type List = ListedConversation[];

/**
 * Finds the conversation below or above the open one. A reply or a close moves the row of the open conversation or takes it out of the list, so its
 * place is the one at which it was opened.
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

function neighbor(by: 1 | -1, openId: string | undefined, list: List, before: List): ListedConversation | undefined {
  const at = placeOf(openId, before);
  if (at === -1) return list[0];
  const others = list.filter(({ id }) => String(id) !== openId);
  const places = new Map(others.map(({ id }, place) => [id, place]));
  const placesOf = (rows: List) => rows.flatMap(({ id }) => places.get(id) ?? []);
  const [below] = placesOf(before.slice(at + 1));
  const above = placesOf(before.slice(0, at)).at(-1);
  const place = below ?? (above === undefined ? at : above + 1);
  return others[by === 1 ? place : place - 1];
}
