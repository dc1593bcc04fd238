import { Controller } from '@nestjs/common';
import {
  FindSuppressed,
  GatewayError,
  GetSuppression,
  ImportSuppressions,
  LiftSuppression,
  ListSuppressions,
  SetSuppression,
  type EventEnvelope,
  type ResponseOf,
  type RequestOf,
} from '@mgw/contracts';
import { OutboxRelay } from '@mgw/events';
import { Database, type Tx } from '@mgw/postgres';
import { Handles, type Handler } from '@mgw/rpc';
import { ConversationService } from '../conversations/conversation.service';
import { personByAlias } from '../conversations/person';
import { ErasedOptOuts } from '../people/erased-opt-outs';
import { SuppressionChanges } from './suppression-changes.service';
import { SuppressionStore } from './suppression.store';

const IMPORT_BATCH = 500;

/** The business's requests about suppressions (decision 18). */
@Controller()
export class SuppressionHandlers {
  constructor(
    private readonly db: Database,
    private readonly conversations: ConversationService,
    private readonly suppressions: SuppressionStore,
    private readonly changes: SuppressionChanges,
    private readonly relay: OutboxRelay,
    private readonly erasedOptOuts: ErasedOptOuts,
  ) {}

  @Handles(ListSuppressions)
  async list({ business_id, limit, cursor }: RequestOf<typeof ListSuppressions>): Promise<ResponseOf<typeof ListSuppressions>> {
    const { page, next_cursor } = await this.suppressions.list(business_id, limit, cursor);
    return { suppressions: page, next_cursor };
  }

  @Handles(GetSuppression)
  async get({ business_id, phone }: RequestOf<typeof GetSuppression>): Promise<ResponseOf<typeof GetSuppression>> {
    await this.conversations.restoreOptOuts(this.db, [{ businessId: business_id, alias: phone }]);
    return { suppression: await this.suppressions.find(business_id, phone) };
  }

  @Handles(FindSuppressed)
  async findSuppressed({ business_id, phones, marketing }: RequestOf<typeof FindSuppressed>): Promise<ResponseOf<typeof FindSuppressed>> {
    const { hashes } = await this.erasedOptOuts.find(phones.map((alias) => ({ businessId: business_id, alias })));
    return { phones: await this.suppressions.refused(business_id, phones, hashes, marketing) };
  }

  @Handles(SetSuppression)
  set: Handler<typeof SetSuppression> = ({ business_id, phone, state, reason, source = 'dashboard' }) =>
    this.change(async (tx) => {
      const conversations = await this.conversations.findOrOpen(tx, [personByAlias(business_id, phone)]);
      const change = { businessId: business_id, conversations, source, reason, at: null };
      return this.changes.apply(tx, change, () => this.suppressions.set(tx, conversations[0] as number, source, state, null, reason));
    });

  /**
   * Commits in small batches, because each holds the locks of its people. A repeated import finds the rows unchanged. The strictest rows
   * come first, so that a person's weaker row in another batch changes nothing.
   */
  @Handles(ImportSuppressions)
  async import({
    business_id,
    rows,
    source = 'api',
  }: RequestOf<typeof ImportSuppressions>): Promise<ResponseOf<typeof ImportSuppressions>> {
    const sorted = await this.suppressions.strictestFirst(rows);
    let added = 0;
    for (let at = 0; at < sorted.length; at += IMPORT_BATCH) {
      const batch = sorted.slice(at, at + IMPORT_BATCH);
      added += await this.change(async (tx) => {
        const people = batch.map(({ phone }) => personByAlias(business_id, phone));
        const conversations = await this.conversations.findOrOpen(tx, people);
        const change = { businessId: business_id, conversations, source, at: null };
        return this.changes.apply(tx, change, () => this.suppressions.import(tx, conversations, source, batch));
      });
    }
    return { added, unchanged: rows.length - added };
  }

  @Handles(LiftSuppression)
  async lift({ business_id, phone, source = 'dashboard' }: RequestOf<typeof LiftSuppression>): Promise<ResponseOf<typeof LiftSuppression>> {
    await this.conversations.restoreOptOuts(this.db, [{ businessId: business_id, alias: phone }]);
    const isLifted = await this.change(async (tx) => {
      const id = await this.suppressions.findByAlias(tx, business_id, phone);
      if (id === null) return { result: false, events: [] };
      const change = { businessId: business_id, conversations: [id], source, at: null };
      return this.changes.apply(tx, change, () => this.suppressions.liftAllSources(tx, id));
    });
    if (isLifted) return {};
    throw new GatewayError('NOT_FOUND', 'No suppression exists for this number.');
  }

  /** Publishes the events after the commit. */
  private async change<T>(work: (tx: Tx) => Promise<{ result: T; events: EventEnvelope[] }>): Promise<T> {
    const { result, events } = await this.db.transaction(work);
    if (events.length > 0) this.relay.wake();
    return result;
  }
}
