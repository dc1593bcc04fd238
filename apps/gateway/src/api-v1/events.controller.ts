import { Controller, Get, Query } from '@nestjs/common';
import { ApiKeyStrategy } from '../access/api-key.strategy';
import { CurrentCaller, Needs, RestApi, type Caller } from '../access/rest-api';
import { EventFeedService } from '../events/event-feed.service';
import { untilClosed } from '../http/response-end';
import { Responds } from '../responses/responds';
import { EventsResponse } from './api-v1.responses';
import { ListEventsQuery } from './events.requests';

const MAX_EVENTS = 100;

/** The feed of a business's events, for receivers that catch up after an outage or cannot be reached. */
@Controller('api/v1/events')
@RestApi()
export class EventsController {
  constructor(
    private readonly feed: EventFeedService,
    private readonly keys: ApiKeyStrategy,
  ) {}

  @Get()
  @Needs('read_messages')
  @Responds(EventsResponse, 'Read the events of the business by number, and wait for the next ones')
  async list(@CurrentCaller() { party, request: http, reply }: Caller, @Query() { after, limit, types, wait }: ListEventsQuery) {
    const gone = new AbortController();
    untilClosed(reply.raw, () => gone.abort());
    const request = {
      business_id: party.business.id,
      limit: Number(limit ?? MAX_EVENTS),
      ...(after !== undefined && { after: Number(after) }),
      ...(types !== undefined && { types: [...new Set(types.split(','))].sort() }),
    };
    const page = await this.feed.read(request, 1_000 * Number(wait ?? 0), gone.signal);
    // The key may have ended during the wait.
    if (wait !== undefined) await this.keys.recheck(http);
    return { success: true as const, ...page };
  }
}
