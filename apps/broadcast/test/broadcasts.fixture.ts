import {
  CreateBroadcast,
  FindAccess,
  FindSends,
  FindSuppressed,
  FindTemplates,
  GetBroadcast,
  ListRecipients,
  type Access,
  type FoundSend,
  type ResponseOf,
  type RequestOf,
  type TemplateShape,
} from '@mgw/contracts';
import { startHarness, type Harness } from '@mgw/harness';
import { service } from '../src/main';

const TEMPLATE: TemplateShape = {
  id: 1,
  name: 'offer',
  language: 'en',
  category: 'MARKETING',
  content: 'Hello.',
  body_variables: [],
  named: false,
  header_format: null,
  header_text: null,
  header_variables: [],
  button_parameters: [],
};

/** Looks up every send as one in this state. */
export function sendInState(state: NonNullable<FoundSend>['state']): (messageId: string) => FoundSend {
  return (message_id) => ({
    message_id: state === 'accepted' ? `wamid.${message_id}` : message_id,
    state,
    to: '12015551000',
    at: new Date().toISOString(),
    failure_reason: null,
  });
}

/** A database and a broker for the service, with one template for every business. The test runs the replicas. */
export class Broadcasts {
  /** Stands for the send service's lookup by `gw_` id; a test may replace it. */
  findSend: (messageId: string) => FoundSend | Promise<FoundSend> = () => null;

  /** Stands for the send service's knowledge of people who opted out; a test may replace it. */
  isSuppressed: (phone: string) => boolean = () => false;

  /** Stands for the gateway's knowledge of the key that a broadcast is charged to; a test may replace it. */
  findAccess: () => Access | null = () => ({ plan: 'Growth', timezone: 'UTC', daily_limit: 5 });

  private constructor(readonly harness: Harness) {}

  /** @param template overrides fields of the template */
  static async start(template: Partial<TemplateShape> = {}): Promise<Broadcasts> {
    const harness = await startHarness(service);
    const found = { template: { ...TEMPLATE, ...template }, available_languages: ['en'] };
    harness.respond(FindTemplates, ({ names }) => ({ found: names.map(() => found) }));
    const broadcasts = new Broadcasts(harness);
    harness.respond(FindSends, async ({ message_ids }) => ({ sends: await Promise.all(message_ids.map((id) => broadcasts.findSend(id))) }));
    harness.respond(FindSuppressed, ({ phones }) => ({ phones: phones.filter((phone) => broadcasts.isSuppressed(phone)) }));
    harness.respond(FindAccess, ({ parties }) => ({ found: parties.map(() => broadcasts.findAccess()) }));
    return broadcasts;
  }

  /** The phone number of the nth recipient, counted from 0. */
  phoneOf(nth: number): string {
    return `1201555${String(1_000 + nth)}`;
  }

  /** @returns the id */
  async create(recipients: number, other: Partial<RequestOf<typeof CreateBroadcast>> = {}): Promise<number> {
    const rows = Array.from({ length: recipients }, (_, i) => ({
      line: i + 1,
      phone: this.phoneOf(i),
      body_params: [],
      header_params: [],
    }));
    const draft = { business_id: 1, template_name: 'offer', language: 'en', recipients: rows };
    const { id } = await this.harness.rpc.call(CreateBroadcast, {
      ...draft,
      name: 'b',
      scheduled_at: null,
      plan: 'Growth',
      timezone: 'UTC',
      daily_limit: 20_000,
      ...other,
    });
    return id;
  }

  /** Advances time for attempts in flight and for idle broadcasts. */
  async advanceTime(seconds: number): Promise<void> {
    const past = (column: string) => `${column} = ${column} - interval '${seconds} seconds'`;
    // The recipients first: a broadcast that wakes in between would become idle by their old times.
    await this.harness.db.query(
      `UPDATE broadcast.recipients SET ${past('attempted_at')}, ${past('due_at')} WHERE state IN ('sending', 'unclear')`,
    );
    await this.harness.db.query(`UPDATE broadcast.broadcasts SET ${past('idle_until')} WHERE finished_at IS NULL`);
  }

  get(id: number, business_id = 1): Promise<ResponseOf<typeof GetBroadcast>> {
    return this.harness.rpc.call(GetBroadcast, { business_id, id });
  }

  async recipients(
    id: number,
    business_id = 1,
    filter: Partial<RequestOf<typeof ListRecipients>> = {},
  ): Promise<ResponseOf<typeof ListRecipients>['recipients']> {
    return (await this.harness.rpc.call(ListRecipients, { business_id, id, limit: 100, cursor: null, state: null, ...filter })).recipients;
  }
}
