import {
  CreateBroadcast,
  FindTemplates,
  GetBroadcast,
  ListRecipients,
  type ReplyOf,
  type RequestOf,
  type TemplateShape,
} from '@mgw/contracts';
import { startHarness, type Harness } from '@mgw/harness';
import { BroadcastConfig } from '../src/broadcast.config';
import { BroadcastModule } from '../src/broadcast.module';
import { migrations } from '../src/migrations/migrations';

export const service = { name: 'broadcast', module: BroadcastModule, config: BroadcastConfig, schema: 'broadcast' } as never;

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

/** The service's own database and broker, with a template for everybody; replicas are run by the test. */
export class Broadcasts {
  private constructor(readonly harness: Harness) {}

  /** @param template what is otherwise about the template */
  static async start(template: Partial<TemplateShape> = {}): Promise<Broadcasts> {
    const harness = await startHarness({ schema: 'broadcast', migrations });
    const found = { template: { ...TEMPLATE, ...template }, available_languages: ['en'] };
    harness.answer(FindTemplates, ({ names }) => ({ found: names.map(() => found) }));
    return new Broadcasts(harness);
  }

  /** The number of the nth recipient, from 0. */
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
      ...other,
    });
    return id;
  }

  show(id: number, business_id = 1): Promise<ReplyOf<typeof GetBroadcast>> {
    return this.harness.rpc.call(GetBroadcast, { business_id, id });
  }

  async recipients(id: number, business_id = 1): Promise<ReplyOf<typeof ListRecipients>['recipients']> {
    return (await this.harness.rpc.call(ListRecipients, { business_id, id, limit: 100, cursor: null, state: null })).recipients;
  }
}
