import type { IntentDraft, Reservation } from './intent';

/**
 * Reserves drafts so that no statement has two daily caps of one API key. Caps differ for seconds after a change, and between a rotated key
 * and its heir; each send counts against its own (decision 706).
 */
export async function reserveByCap(
  drafts: IntentDraft[],
  reserve: (drafts: IntentDraft[]) => Promise<Reservation[]>,
): Promise<Reservation[]> {
  const caps = new Map<number | null, number | null>();
  for (const { sender } of drafts) if (!caps.has(sender.api_key_id)) caps.set(sender.api_key_id, sender.daily_limit);
  const [first, others]: [IntentDraft[], IntentDraft[]] = [[], []];
  for (const draft of drafts) (caps.get(draft.sender.api_key_id) === draft.sender.daily_limit ? first : others).push(draft);
  if (others.length === 0) return reserve(drafts);
  const reservations = [...(await reserve(first)), ...(await reserveByCap(others, reserve))];
  const outcomes = new Map([...first, ...others].map((draft, i) => [draft, reservations[i] as Reservation]));
  return drafts.map((draft) => outcomes.get(draft) as Reservation);
}
