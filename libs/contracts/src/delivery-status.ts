import type { DeliveryStatus } from './status';

/** The ranks of statuses (spec §3.1, decision 26): the highest reported status wins, in whatever order the reports arrive. */
const RANKS: Record<DeliveryStatus, number> = { sent: 1, delivered: 2, failed: 3, read: 4 };

/** @param word the platform's word; `played` counts as read. @returns null for an unknown word */
export function deliveryStatus(word: string): { status: DeliveryStatus; rank: number } | null {
  const status = word === 'played' ? 'read' : word;
  return Object.hasOwn(RANKS, status) ? { status: status as DeliveryStatus, rank: RANKS[status as DeliveryStatus] } : null;
}
