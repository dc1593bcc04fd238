import { Injectable } from '@nestjs/common';
import { Batcher } from '@mgw/batching';
import type { Sender } from '@mgw/contracts';
import type { EarlierIntent, IntentDraft, Reservation } from './intent';
import { ReservationStore, type KeyOfSender } from './reservation.store';

/** Asks whether the recipient may be written to, takes a place under the cap and writes the intent, for all sends of one turn of the event loop at once (performance: the round trip dominates). */
@Injectable()
export class ReservationService {
  private readonly reservations: Batcher<IntentDraft, Reservation>;
  private readonly questions: Batcher<KeyOfSender, EarlierIntent | null>;

  constructor(store: ReservationStore) {
    this.reservations = new Batcher({
      maxSize: 128,
      run: (drafts) =>
        reserveDistinct(drafts, (leaders) =>
          store.reserve(leaders).catch((error: unknown) => leaders.map(() => ({ kind: 'failed', error }))),
        ),
    });
    this.questions = new Batcher({ run: (keys) => store.findEarlier(keys) });
  }

  /** Resolves after the commit: only then may the platform be called (guarantees §1, S1). */
  reserve(draft: IntentDraft): Promise<Reservation> {
    return this.reservations.add(draft);
  }

  /** The send that this sender made with this Idempotency-Key before, if any. */
  async earlier({ business_id, api_key_id, idempotency }: Sender): Promise<EarlierIntent | null> {
    if (idempotency === null) return null;
    return this.questions.add({ businessId: business_id, apiKeyId: api_key_id, key: idempotency.key });
  }
}

/**
 * Of several drafts with the same Idempotency-Key in one batch the first is reserved; the others meet it as if they had come
 * later. What is refused because of its recipient leaves its place to the next: it was not sent, and they may be for others.
 */
export async function reserveDistinct(
  drafts: IntentDraft[],
  reserve: (drafts: IntentDraft[]) => Promise<Reservation[]>,
): Promise<Reservation[]> {
  const leaders = new Map<string, IntentDraft>();
  for (const draft of drafts) if (!leaders.has(identityOf(draft))) leaders.set(identityOf(draft), draft);
  const led = [...leaders.values()];
  const outcomes = new Map((await reserve(led)).map((outcome, i) => [led[i] as IntentDraft, outcome]));
  const ledBy = (draft: IntentDraft) => leaders.get(identityOf(draft)) as IntentDraft;
  const left = drafts.filter((draft) => !outcomes.has(draft) && isRefused(outcomes.get(ledBy(draft)) as Reservation));
  if (left.length > 0) (await reserveDistinct(left, reserve)).forEach((outcome, i) => outcomes.set(left[i] as IntentDraft, outcome));
  return drafts.map((draft) => {
    const own = outcomes.get(draft);
    if (own) return own;
    const leader = ledBy(draft);
    const outcome = outcomes.get(leader) as Reservation;
    return outcome.kind === 'reserved' ? { kind: 'earlier', intent: inFlight(leader) } : outcome;
  });
}

function isRefused({ kind }: Reservation): boolean {
  return kind === 'suppressed' || kind === 'window_closed';
}

function identityOf({ id, sender }: IntentDraft): string {
  return sender.idempotency === null ? id : `${sender.business_id}:${sender.api_key_id}:${sender.idempotency.key}`;
}

function inFlight({ id, sender, to }: IntentDraft): EarlierIntent {
  return { id, fingerprint: () => sender.idempotency?.fingerprint ?? '', state: 'calling', messageId: null, to };
}
