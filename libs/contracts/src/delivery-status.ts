import type { DeliveryStatus } from './status';

/** The one order of product decision 26: the highest that was ever seen is the status, whatever came when. */
const RANKS: Record<DeliveryStatus, number> = { sent: 1, delivered: 2, failed: 3, read: 4 };

/** @param word the platform's; `played` proves that it was read. @returns null for a word that changes nothing */
export function deliveryStatus(word: string): { status: DeliveryStatus; rank: number } | null {
  const status = word === 'played' ? 'read' : word;
  return Object.hasOwn(RANKS, status) ? { status: status as DeliveryStatus, rank: RANKS[status as DeliveryStatus] } : null;
}
