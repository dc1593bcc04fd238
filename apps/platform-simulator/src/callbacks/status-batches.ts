import type { Account } from '../accounts/accounts';
import type { Profile } from '../limits/profile';
import type { CallbackQueue } from './callback-queue';
import { envelope } from './envelope';

/** The platform's own bound for one webhook. */
const MAX_UPDATES = 1_000;

export interface ToldStatus {
  /** Null: the webhook has no contact for it. */
  contact: Record<string, unknown> | null;
  status: Record<string, unknown>;
}

interface Batch {
  told: ToldStatus[];
  timer: NodeJS.Timeout;
  posted: Promise<void>;
  flush: () => void;
}

/** Posts statuses one by one, or collects them for as long as the profile says (platform §8.2). */
export class StatusBatches {
  private readonly open = new Map<Account, Batch>();

  constructor(
    private readonly callbacks: CallbackQueue,
    private readonly profile: Profile,
  ) {}

  /** Resolves when the first attempt to post it is over. */
  add(account: Account, told: ToldStatus): Promise<void> {
    const { batch_ms } = this.profile.settings;
    if (batch_ms === 0) return this.post(account, [told]);
    const batch = this.open.get(account) ?? this.begin(account, batch_ms);
    batch.told.push(told);
    if (batch.told.length === MAX_UPDATES) batch.flush();
    return batch.posted;
  }

  /** Hands over what was collected. */
  flush(): void {
    for (const batch of [...this.open.values()]) batch.flush();
  }

  private begin(account: Account, ms: number): Batch {
    const told: ToldStatus[] = [];
    let flush = () => {};
    const posted = new Promise<void>((resolve) => {
      flush = () => {
        clearTimeout(batch.timer);
        this.open.delete(account);
        resolve(this.post(account, told));
      };
    });
    const batch: Batch = { told, timer: setTimeout(flush, ms), posted, flush };
    this.open.set(account, batch);
    return batch;
  }

  private post(account: Account, told: ToldStatus[]): Promise<void> {
    const contacts = told.flatMap(({ contact }) => (contact ? [contact] : []));
    const statuses = told.map(({ status }) => status);
    return this.callbacks.post(account, envelope(account, 'messages', { ...(contacts.length > 0 && { contacts }), statuses }));
  }
}
