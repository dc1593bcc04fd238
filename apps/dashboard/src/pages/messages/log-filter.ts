import type { operations } from '../../api/schema';
import { dayIn } from '../../components/clock-time';

type Query = NonNullable<operations['client-get-messages']['parameters']['query']>;
type CountQuery = NonNullable<operations['client-get-messages-counts']['parameters']['query']>;

const DAY_LENGTH = 'YYYY-MM-DD'.length;
/** The filters that the counts of messages have too. */
const COUNTED = ['period', 'from', 'to', 'sent_by', 'type', 'template', 'api_key_id', 'failure_code'] as const;
export const FILTERS = [...COUNTED, 'status', 'phone', 'q'] as const;
/** The filters of the page's second row. */
export const FURTHER = ['from', 'to', 'sent_by', 'type', 'template', 'api_key_id', 'failure_code'] as const;

/** The address of the page: its filters, and the opened message. */
export type LogSearch = Partial<Record<(typeof FILTERS)[number] | 'id', string | undefined>>;

const pick = (search: LogSearch, names: readonly (keyof LogSearch)[]) =>
  Object.fromEntries(names.flatMap((name) => (search[name] ? [[name, search[name]]] : [])));

/** The API refuses a value of the address that it does not know. */
export const filterOf = (search: LogSearch) => pick(search, FILTERS) as Query;

/** Null if the filter finds messages that no count knows: a part of a text or of a number. */
export const countFilterOf = (search: LogSearch) => (search.q || search.phone ? null : (pick(search, COUNTED) as CountQuery));

/** The filters that an index serves. */
const INDEXED: readonly string[] = ['period', 'from', 'to'];
/** Whether a page of the list examines every message of the business. */
export const isScan = (search: LogSearch): boolean => FILTERS.some((name) => search[name] && !INDEXED.includes(name));

/** The days that the fields From and To show. The address may have moments, which a histogram's bar chose; the last one is excluded. */
export function daysOf({ from, to }: LogSearch, zone: string): { from: string; to: string } {
  const day = (bound: string | undefined, before: number) => {
    const at = Date.parse(bound ?? '');
    if (bound === undefined || Number.isNaN(at)) return '';
    return bound.length === DAY_LENGTH ? bound : dayIn(zone, new Date(at - before).toISOString());
  };
  return { from: day(from, 0), to: day(to, 1) };
}

export const exportAddress = (search: LogSearch): string =>
  `/api/client/messages?${new URLSearchParams({ ...pick(search, FILTERS), format: 'csv' }).toString()}`;
