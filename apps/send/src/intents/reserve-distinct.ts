import type { EarlierSend, IntentDraft, Reservation } from './intent';

/**
 * Of several drafts with the same Idempotency-Key in one batch the first is reserved; the others meet it as if they had come
 * later. What is refused because of its recipient leaves its place to the next: it was not sent, and they may be for others.
 */
export async function reserveDistinct(
  drafts: IntentDraft[],
  reserve: (drafts: IntentDraft[]) => Promise<Reservation[]>,
): Promise<Reservation[]> {
  const leaders = new Map<string, IntentDraft>();
  for (const draft of drafts) if (!leaders.has(idempotencyIdentity(draft))) leaders.set(idempotencyIdentity(draft), draft);
  const led = [...leaders.values()];
  const outcomes = new Map((await reserve(led)).map((outcome, i) => [led[i] as IntentDraft, outcome]));
  const ledBy = (draft: IntentDraft) => leaders.get(idempotencyIdentity(draft)) as IntentDraft;
  const left = drafts.filter((draft) => !outcomes.has(draft) && isRecipientRefused(outcomes.get(ledBy(draft)) as Reservation));
  if (left.length > 0) (await reserveDistinct(left, reserve)).forEach((outcome, i) => outcomes.set(left[i] as IntentDraft, outcome));
  return drafts.map((draft) => {
    const own = outcomes.get(draft);
    if (own) return own;
    const leader = ledBy(draft);
    const outcome = outcomes.get(leader) as Reservation;
    return outcome.kind === 'reserved' ? { kind: 'earlier', intent: asEarlierSend(leader) } : outcome;
  });
}

function isRecipientRefused({ kind }: Reservation): boolean {
  return kind === 'suppressed' || kind === 'window_closed';
}

function idempotencyIdentity({ id, sender }: IntentDraft): string {
  return sender.idempotency === null ? id : `${sender.business_id}:${sender.api_key_id}:${sender.idempotency.key}`;
}

function asEarlierSend({ id, sender, to }: IntentDraft): EarlierSend {
  return { id, fingerprint: () => sender.idempotency?.fingerprint ?? '', state: 'calling', messageId: null, to };
}
