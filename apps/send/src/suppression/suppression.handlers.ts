import { Controller } from '@nestjs/common';
import {
  GatewayError,
  GetSuppression,
  ImportSuppressions,
  LiftSuppression,
  ListSuppressions,
  SetSuppression,
  type ReplyOf,
  type RequestOf,
} from '@mgw/contracts';
import { Database } from '@mgw/postgres';
import { Handles } from '@mgw/rpc';
import { ConversationService } from '../conversations/conversation.service';
import { personByAlias } from '../conversations/person';
import { SuppressionStore } from './suppression.store';

const IMPORT_BATCH = 500;

/** The business's requests about suppressions (decision 18). */
@Controller()
export class SuppressionHandlers {
  constructor(
    private readonly db: Database,
    private readonly conversations: ConversationService,
    private readonly suppressions: SuppressionStore,
  ) {}

  @Handles(ListSuppressions)
  async list({ business_id, limit, cursor }: RequestOf<typeof ListSuppressions>): Promise<ReplyOf<typeof ListSuppressions>> {
    const { page, next_cursor } = await this.suppressions.list(business_id, limit, cursor);
    return { suppressions: page, next_cursor };
  }

  @Handles(GetSuppression)
  async get({ business_id, phone }: RequestOf<typeof GetSuppression>): Promise<ReplyOf<typeof GetSuppression>> {
    await this.conversations.restoreOptOuts(this.db, [{ businessId: business_id, alias: phone }]);
    return { suppression: await this.suppressions.find(business_id, phone) };
  }

  @Handles(SetSuppression)
  async set({
    business_id,
    phone,
    state,
    reason,
    source = 'dashboard',
  }: RequestOf<typeof SetSuppression>): Promise<ReplyOf<typeof SetSuppression>> {
    await this.db.transaction(async (tx) => {
      const [id] = await this.conversations.findOrOpen(tx, [personByAlias(business_id, phone)]);
      await this.suppressions.set(tx, id as number, source, state, null, reason);
    });
    return {};
  }

  /** Commits in small batches, because each holds the locks of its people. A repeated import finds the rows unchanged. */
  @Handles(ImportSuppressions)
  async import({ business_id, rows }: RequestOf<typeof ImportSuppressions>): Promise<ReplyOf<typeof ImportSuppressions>> {
    const last = [...new Map(rows.map((row) => [row.phone, row])).values()];
    let added = 0;
    for (let at = 0; at < last.length; at += IMPORT_BATCH) {
      const batch = last.slice(at, at + IMPORT_BATCH);
      added += await this.db.transaction(async (tx) => {
        const people = batch.map(({ phone }) => personByAlias(business_id, phone));
        return this.suppressions.import(tx, await this.conversations.findOrOpen(tx, people), batch);
      });
    }
    return { added, unchanged: rows.length - added };
  }

  @Handles(LiftSuppression)
  async lift({ business_id, phone }: RequestOf<typeof LiftSuppression>): Promise<ReplyOf<typeof LiftSuppression>> {
    await this.conversations.restoreOptOuts(this.db, [{ businessId: business_id, alias: phone }]);
    if (await this.suppressions.liftAllSources(business_id, phone)) return {};
    throw new GatewayError('NOT_FOUND', 'No suppression exists for this number.');
  }
}
