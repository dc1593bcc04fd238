import { useMe } from './session';

/** The zone whose days count for the business now. */
export function useZone(): string {
  const { business } = useMe();
  return business?.timezone_now ?? business?.timezone ?? 'UTC';
}
