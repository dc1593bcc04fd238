import { isAboutValues } from '@mgw/postgres';
import type { EarlierSend, IntentDraft, Reservation } from './intent';

/**
 * Reserves drafts so that no statement has one Idempotency-Key twice. The first draft of a key leads; the others return it as an earlier
 * send. If its recipient or its values are refused, the next draft leads: nothing was stored, and it may differ.
 */
export async function reserveDistinct(
  drafts: IntentDraft[],
  reserve: (drafts: IntentDraft[]) => Promise<Reservation[]>,
): Promise<Reservation[]> {
  const leaders = new Map<string, IntentDraft>();
  for (const draft of drafts) if (!leaders.has(idempotencyIdentity(draft))) leaders.set(idempotencyIdentity(draft), draft);
  const leading = [...leaders.values()];
  const outcomes = new Map((await reserve(leading)).map((outcome, i) => [leading[i] as IntentDraft, outcome]));
  const leaderOf = (draft: IntentDraft) => leaders.get(idempotencyIdentity(draft)) as IntentDraft;
  const next = drafts.filter((draft) => !outcomes.has(draft) && isRefused(outcomes.get(leaderOf(draft)) as Reservation));
  if (next.length > 0) (await reserveDistinct(next, reserve)).forEach((outcome, i) => outcomes.set(next[i] as IntentDraft, outcome));
  return drafts.map((draft) => {
    const own = outcomes.get(draft);
    if (own) return own;
    const leader = leaderOf(draft);
    const outcome = outcomes.get(leader) as Reservation;
    return outcome.kind === 'reserved' ? { kind: 'earlier', send: asEarlierSend(leader) } : outcome;
  });
}

function isRefused(reservation: Reservation): boolean {
  if (reservation.kind === 'failed') return isAboutValues(reservation.error);
  return reservation.kind === 'suppressed' || reservation.kind === 'window_closed';
}

function idempotencyIdentity({ id, sender }: IntentDraft): string {
  return sender.idempotency === null ? id : `${sender.business_id}:${sender.api_key_id}:${sender.idempotency.key}`;
}

function asEarlierSend({ id, sender, to }: IntentDraft): EarlierSend {
  return { id, fingerprint: () => sender.idempotency?.fingerprint ?? '', state: 'calling', messageId: null, to };
}
