import { Injectable } from '@nestjs/common';
import { Batcher } from '@mgw/batching';
import type { Sender } from '@mgw/contracts';
import { Database, isAboutValues } from '@mgw/postgres';
import { ConversationService } from '../conversations/conversation.service';
import { OptOutsUnknown } from '../people/erased-opt-outs';
import type { EarlierSend, IntentDraft, Reservation, SendPreview } from './intent';
import { ReservationStore, type SenderKey } from './reservation.store';
import { reserveByCap } from './reserve-by-cap';
import { reserveDistinct } from './reserve-distinct';

/** Maximum bytes of queued drafts. One business may use half, which fits every send that a replica runs at once. */
const MAX_QUEUED_BYTES = 8 * 1024 ** 2;

/** Reserves sends in batches: all reservations of one event loop turn share a statement, because the round trip dominates their cost. */
@Injectable()
export class ReservationService {
  private readonly reservations: Batcher<IntentDraft, Reservation>;
  private readonly lookups: Batcher<SenderKey, EarlierSend | null>;

  constructor(
    private readonly store: ReservationStore,
    private readonly conversations: ConversationService,
    private readonly db: Database,
  ) {
    this.reservations = new Batcher({
      maxSize: 128,
      maxHeldBytes: MAX_QUEUED_BYTES,
      largestShare: 1 / 2,
      businessOf: ({ sender }) => sender.business_id,
      sizeOf: ({ text, details }) => 2 * (text.length + (details?.length ?? 0)),
      run: (drafts) => reserveDistinct(drafts, (leaders) => reserveByCap(leaders, (some) => this.reserveAll(some))),
    });
    this.lookups = new Batcher({
      businessOf: ({ businessId }) => businessId,
      isItemError: isAboutValues,
      run: (keys) => store.findEarlier(keys),
    });
  }

  /** Resolves after the commit. The platform may be called only then (guarantees §1, S1). */
  reserve(draft: IntentDraft): Promise<Reservation> {
    return this.reservations.add(draft);
  }

  /** Reads what a reservation would find, and reserves nothing. @param recipient null without a valid one */
  async preview(sender: Sender, recipient: string | null, kind: { type: string; marketing: boolean }): Promise<SendPreview> {
    if (recipient !== null) await this.restoreOptOuts([{ sender, to: recipient }]);
    return this.store.preview(sender, recipient, kind);
  }

  /** An error about values stored nothing, so the drafts are then reserved one by one, and only those with such values fail. */
  private async reserveAll(drafts: IntentDraft[]): Promise<Reservation[]> {
    try {
      const hashes = await this.restoreOptOuts(drafts);
      return await this.store.reserve(drafts, hashes);
    } catch (error) {
      if (error instanceof OptOutsUnknown) return this.reserveOthers(drafts, error);
      if (drafts.length === 1 || !isAboutValues(error)) return drafts.map(() => ({ kind: 'failed', error }));
      const reservations: Reservation[] = [];
      for (const draft of drafts) reservations.push(...(await this.reserveAll([draft])));
      return reservations;
    }
  }

  private async reserveOthers(drafts: IntentDraft[], error: OptOutsUnknown): Promise<Reservation[]> {
    const isRefused = ({ sender }: IntentDraft) => error.businesses.has(sender.business_id);
    const others = drafts.filter((draft) => !isRefused(draft));
    const reserved = others.length === 0 ? [] : await this.reserveAll(others);
    return drafts.map((draft) => (isRefused(draft) ? { kind: 'failed', error } : (reserved.shift() as Reservation)));
  }

  /** @returns the hash of each recipient, or null @throws OptOutsUnknown */
  private restoreOptOuts(sends: { sender: Sender; to: string }[]): Promise<(string | null)[]> {
    const names = sends.map(({ sender, to }) => ({ businessId: sender.business_id, alias: to }));
    return this.conversations.restoreOptOuts(this.db, names);
  }

  /** Finds the sender's earlier send with the same Idempotency-Key. */
  async findEarlier({ business_id, api_key_id, idempotency }: Sender): Promise<EarlierSend | null> {
    if (idempotency === null) return null;
    return this.lookups.add({ businessId: business_id, apiKeyId: api_key_id, key: idempotency.key });
  }
}
