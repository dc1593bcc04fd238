import type { Account } from '../accounts/accounts';
import type { Profile } from '../profile/profile';
import type { CallbackQueue } from '../callbacks/callback-queue';
import { envelope } from '../callbacks/envelope';

/** The platform's bound for one callback. */
const MAX_UPDATES = 1_000;

interface StatusUpdate {
  /** Null if the callback has no contact for it. */
  contact: Record<string, unknown> | null;
  status: Record<string, unknown>;
}

interface Batch {
  updates: StatusUpdate[];
  timer: NodeJS.Timeout;
  posted: Promise<void>;
  flush: () => void;
}

/** Posts statuses one by one, or collects them for the profile's `batch_ms` (platform §8.2). */
export class StatusBatches {
  private readonly batches = new Map<Account, Batch>();

  constructor(
    private readonly callbacks: CallbackQueue,
    private readonly profile: Profile,
  ) {}

  /** Resolves when the first attempt to post it ends. */
  add(account: Account, update: StatusUpdate): Promise<void> {
    const { batch_ms } = this.profile.settings;
    if (batch_ms === 0) return this.post(account, [update]);
    const batch = this.batches.get(account) ?? this.open(account, batch_ms);
    batch.updates.push(update);
    if (batch.updates.length === MAX_UPDATES) batch.flush();
    return batch.posted;
  }

  /** Posts the collected statuses. */
  flush(): void {
    for (const batch of [...this.batches.values()]) batch.flush();
  }

  private open(account: Account, ms: number): Batch {
    const updates: StatusUpdate[] = [];
    let flush = () => {};
    const posted = new Promise<void>((resolve) => {
      flush = () => {
        clearTimeout(batch.timer);
        this.batches.delete(account);
        resolve(this.post(account, updates));
      };
    });
    const batch: Batch = { updates, timer: setTimeout(flush, ms), posted, flush };
    this.batches.set(account, batch);
    return batch;
  }

  private post(account: Account, updates: StatusUpdate[]): Promise<void> {
    const contacts = updates.flatMap(({ contact }) => (contact ? [contact] : []));
    const statuses = updates.map(({ status }) => status);
    return this.callbacks.post(account, envelope(account, 'messages', { ...(contacts.length > 0 && { contacts }), statuses }));
  }
}
