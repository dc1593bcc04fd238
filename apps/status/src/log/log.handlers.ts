import { Controller } from '@nestjs/common';
import { CountMessages, GetTimeline, GetUsage, ListMessages, type ReplyOf, type RequestOf } from '@mgw/contracts';
import { Handles } from '@mgw/rpc';
import { UsageStore } from '../usage/usage.store';
import { LogStore } from './log.store';

@Controller()
export class LogHandlers {
  constructor(
    private readonly log: LogStore,
    private readonly counts: UsageStore,
  ) {}

  @Handles(ListMessages)
  list(request: RequestOf<typeof ListMessages>): Promise<ReplyOf<typeof ListMessages>> {
    return this.log.list(request);
  }

  @Handles(GetTimeline)
  timeline({ business_id, message_id }: RequestOf<typeof GetTimeline>): Promise<ReplyOf<typeof GetTimeline>> {
    return this.log.timeline(business_id, message_id);
  }

  @Handles(GetUsage)
  async usage(request: RequestOf<typeof GetUsage>): Promise<ReplyOf<typeof GetUsage>> {
    return { usage: await this.counts.list(request) };
  }

  @Handles(CountMessages)
  count(request: RequestOf<typeof CountMessages>): Promise<ReplyOf<typeof CountMessages>> {
    return this.counts.count(request);
  }
}
