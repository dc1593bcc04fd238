import { deliveryStatus, type Billing, type DeliveryStatus } from '@mgw/contracts';

/** A status of an accepted message that ranks above the one before. */
export interface StatusRise {
  business_id: number;
  message_id: string;
  to: string;
  type: string;
  sent_by: string;
  conversation_id: number;
  status: DeliveryStatus;
  previous_status: DeliveryStatus;
  failure_reason: string | null;
  error_code: number | null;
  occurred_at: string;
  billing: Billing | null;
}

/** A status that the platform reported, in its words. */
export interface Report {
  word: string;
  failure_reason: string | null;
  error_code: number | null;
  occurred_at: string;
}

/** @returns the reports that rank above `rank` and all before them, each with the status that it follows */
export function risesOf(rank: number, reports: readonly Report[]): Omit<StatusRise, keyof AcceptedMessage>[] {
  let current = STATUSES.find((status) => deliveryStatus(status)?.rank === rank);
  return reports.flatMap(({ word, failure_reason, error_code, occurred_at }) => {
    const next = deliveryStatus(word);
    if (next === null || current === undefined || next.rank <= (deliveryStatus(current)?.rank ?? 0)) return [];
    const rise = { status: next.status, previous_status: current, failure_reason, error_code, occurred_at };
    current = next.status;
    return [rise];
  });
}

export type AcceptedMessage = Pick<StatusRise, 'business_id' | 'message_id' | 'to' | 'type' | 'sent_by' | 'conversation_id' | 'billing'>;

const STATUSES: DeliveryStatus[] = ['sent', 'delivered', 'failed', 'read'];
