import { Controller } from '@nestjs/common';
import { CountMessages, CountTemplates, GetTimeline, GetUsage, ListMessages, type ResponseOf, type RequestOf } from '@mgw/contracts';
import { Handles } from '@mgw/rpc';
import { CostsStore } from '../costs/costs.store';
import { UsageStore } from '../usage/usage.store';
import { LogStore } from './log.store';

@Controller()
export class LogHandlers {
  constructor(
    private readonly log: LogStore,
    private readonly counts: UsageStore,
    private readonly costs: CostsStore,
  ) {}

  @Handles(ListMessages)
  list(request: RequestOf<typeof ListMessages>): Promise<ResponseOf<typeof ListMessages>> {
    return this.log.list(request);
  }

  @Handles(GetTimeline)
  timeline(request: RequestOf<typeof GetTimeline>): Promise<ResponseOf<typeof GetTimeline>> {
    return this.log.timeline(request);
  }

  @Handles(GetUsage)
  async usage(request: RequestOf<typeof GetUsage>): Promise<ResponseOf<typeof GetUsage>> {
    const [usage, billing, currency] = await Promise.all([this.counts.list(request), this.costs.billing(request), this.costs.currency()]);
    return { usage, billing, currency };
  }

  @Handles(CountMessages)
  count(request: RequestOf<typeof CountMessages>): Promise<ResponseOf<typeof CountMessages>> {
    return this.counts.count(request);
  }

  @Handles(CountTemplates)
  async countTemplates({ business_id, timezone }: RequestOf<typeof CountTemplates>): Promise<ResponseOf<typeof CountTemplates>> {
    return { templates: await this.counts.templates(business_id, timezone) };
  }
}
