import { useQuery } from '@tanstack/react-query';
import { meQuery } from './session';

const BROWSER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The zone of all times on the page: the one whose days count for the business now. An operator has no business and sees the browser's. */
export function useZone(): string {
  const { data } = useQuery({ ...meQuery, enabled: false });
  return data?.business?.timezone_now ?? data?.business?.timezone ?? BROWSER_ZONE;
}
