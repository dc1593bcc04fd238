import { Controller } from '@nestjs/common';
import { PublishWaitingEvents } from '@mgw/contracts';
import { OutboxRelay } from '@mgw/events';
import { Handles, type Handler } from '@mgw/rpc';

@Controller()
export class PublishedEventsHandlers {
  constructor(private readonly relay: OutboxRelay) {}

  @Handles(PublishWaitingEvents)
  publish: Handler<typeof PublishWaitingEvents> = (_, { deadlineAt }) => this.relay.published(deadlineAt);
}
